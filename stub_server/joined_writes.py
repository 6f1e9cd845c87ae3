"""A transport that sends what is written within one turn of the loop at once."""

from __future__ import annotations

import asyncio
from typing import Any

HELD_BYTES = 64 * 1024


class JoinedWrites:
    """Stands in front of an asyncio transport. uvicorn writes head and body apart, which costs two system calls and
    wakes the client twice; half of the server's time went there. Everything but writing is the transport's own."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []
        self._held_bytes = 0

    def write(self, data: bytes) -> None:
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held.append(data)
        self._held_bytes += len(data)
        if self._held_bytes > HELD_BYTES:  # so that the transport can say that it has had enough
            self.flush()

    def flush(self) -> None:
        if self._held:
            data = b"".join(self._held)
            self._held.clear()
            self._held_bytes = 0
            self._transport.write(data)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        self._held.clear()
        self._transport.abort()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
