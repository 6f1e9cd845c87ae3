"""One connection of the server: uvicorn's, with this app's runtime, JSON errors, and an end to stalling."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from typing import TYPE_CHECKING, cast

from starlette.types import Receive, Scope, Send

from stub_server.decide_threads import DecideThreads
from stub_server.joined_writes import JoinedWrites
from stub_server.request_log import RequestLog, Served
from stub_server.runtime import EXTENSION, OnLoop

# httptools parses in C and makes the server faster by a third; without it uvicorn's other parser serves as well.
if not TYPE_CHECKING and importlib.util.find_spec("httptools"):
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Protocol
else:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol

STALL_SECONDS = 5.0
WATCH_SECONDS = 0.5

_ERROR = {
    "message": "this is not HTTP, or its headers contradict one another",
    "type": "invalid_request_error",
    "param": None,
    "code": "bad_request",
}
_BODY = json.dumps({"error": _ERROR}).encode("ascii")
_NOT_HTTP = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: " + str(len(_BODY)).encode("ascii") + b"\r\n\r\n" + _BODY
)


def connection_class(threads: DecideThreads, log: RequestLog) -> type[asyncio.Protocol]:
    """A protocol class for uvicorn whose connections use these threads and this log."""

    class Connection(Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            joined = cast(asyncio.Transport, JoinedWrites(transport, self.loop))
            super().connection_made(joined)
            app = self.app
            extensions = {EXTENSION: OnLoop(threads, joined.abort)}

            async def with_runtime(scope: Scope, receive: Receive, send: Send) -> None:
                scope["extensions"] = extensions
                await app(scope, receive, send)

            self.app = with_runtime
            self._stalled: object = None
            self._stalled_since = 0.0
            self._watching = self.loop.call_later(WATCH_SECONDS, self._watch)

        def connection_lost(self, exc: Exception | None) -> None:
            self._watching.cancel()
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            log.add(Served("-", "-", status=400, size=len(_BODY), error="not HTTP"))
            self.transport.write(_NOT_HTTP)
            self.transport.close()

        def _watch(self) -> None:
            """Cut a client that does not come to the end of its request. It looks twice a second, since a timer
            for each request was a tenth of what a request costs."""
            now = self.loop.time()
            if not self._is_waiting_for_client():
                self._stalled = None
            elif self._stalled is not (request := self.cycle or self):
                self._stalled, self._stalled_since = request, now
            elif now - self._stalled_since >= STALL_SECONDS - WATCH_SECONDS:
                self.transport.abort()
                return
            self._watching = self.loop.call_later(WATCH_SECONDS, self._watch)

        def _is_waiting_for_client(self) -> bool:
            if self.cycle is None:
                return True  # nothing yet, or an unfinished head
            if self.cycle.response_complete:
                return self.timeout_keep_alive_task is None  # idle, unless the next head has begun
            return self.cycle.more_body

    return Connection
