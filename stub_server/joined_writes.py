"""A transport that sends the head and the body of an answer at once."""

from __future__ import annotations

import asyncio
from typing import Any


class JoinedWrites:
    """Stands in front of an asyncio transport and holds one write back until the next, or the end of the turn.

    uvicorn writes head and body apart. That costs two system calls and wakes the client twice, and half of the
    server's time went there. Everything but writing is the transport's own.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held = b""

    def write(self, data: bytes) -> None:
        if self._held:
            joined, self._held = self._held + data, b""
            self._transport.write(joined)
        else:
            self._held = data
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        if self._held:
            data, self._held = self._held, b""
            self._transport.write(data)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        self._held = b""
        self._transport.abort()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
