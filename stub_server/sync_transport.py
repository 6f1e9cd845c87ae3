"""An httpx transport that runs the app in the caller's own thread: no socket, no loop, no second thread."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import httpx
from starlette.types import ASGIApp, Message

from stub_server.runtime import EXTENSION

T = TypeVar("T")


class _ByHand:
    """The runtime of one request that is driven by hand. Time passes by being counted."""

    def __init__(self) -> None:
        self.elapsed_s = 0.0
        self.dropped = False

    async def call(self, function: Callable[[], T]) -> T:
        return function()

    async def sleep(self, seconds: float) -> None:
        self.elapsed_s += seconds

    async def within(self, seconds: float, awaited: Awaitable[T]) -> T:
        return await awaited

    def drop(self) -> None:
        self.dropped = True


class SyncTransport(httpx.BaseTransport):
    """For `httpx.Client(transport=SyncTransport(app), base_url="http://stub")`.

    It also works where an event loop is running already, as in a notebook's kernel: the app's coroutine is
    driven by hand, and since its endpoints wait for nothing but what they are given here, it never suspends. A
    scripted delay is added up and compared with the client's read timeout instead of being slept, so that a
    timeout takes no time; what a hanging tool did has happened all the same. There is no time limit on
    `decide` here, since there is no thread to leave behind.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        incoming = [{"type": "http.request", "body": request.read(), "more_body": False}]
        outgoing: list[Message] = []
        runtime = _ByHand()

        async def receive() -> Message:
            return incoming.pop() if incoming else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            outgoing.append(message)

        _drive(self._app(_scope(request, runtime), receive, send))
        limit = request.extensions.get("timeout", {}).get("read")
        if runtime.dropped:
            raise httpx.RemoteProtocolError("the server dropped the connection", request=request)
        if not outgoing or runtime.elapsed_s > (math.inf if limit is None else limit):
            raise httpx.ReadTimeout("no answer in time", request=request)
        body = b"".join(message.get("body", b"") for message in outgoing[1:])
        return httpx.Response(outgoing[0]["status"], headers=outgoing[0]["headers"], content=body, request=request)


def _scope(request: httpx.Request, runtime: _ByHand) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.partition(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 0),
        "server": (request.url.host, request.url.port),
        "extensions": {EXTENSION: runtime},
    }


def _drive(awaitable: Awaitable[None]) -> None:
    assert isinstance(awaitable, Coroutine)
    try:
        awaitable.send(None)
    except StopIteration:
        return
    awaitable.close()
    raise RuntimeError("the app waited for something that only an event loop can bring")
