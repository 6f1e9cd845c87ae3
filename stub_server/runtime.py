"""How the app waits, calls student code and drops a connection: the one thing that differs where it runs.

On a server there is an event loop, threads and a socket; under httpx's ASGI transport a loop only; under
`SyncTransport` none of them. The app finds its runtime in the ASGI scope and is the same code in all three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol, TypeVar

from stub_server.decide_threads import DecideThreads

T = TypeVar("T")
EXTENSION = "admit_one.runtime"


class Runtime(Protocol):
    async def call(self, function: Callable[[], T]) -> T:
        """Run student code. Raises `Hung` or `NeverStarted` where it can be timed."""

    async def sleep(self, seconds: float) -> None: ...

    async def within(self, seconds: float, awaited: Awaitable[T]) -> T:
        """Wait for something, at most that long. Raises TimeoutError."""

    def drop(self) -> None:
        """Break the connection off without an answer."""


class ConnectionDropped(ConnectionError):
    """Raised out of the app where a scenario drops a connection and there is no socket to close."""


class OnLoop:
    """An asyncio loop; with threads and a socket on the server, with neither under an ASGI transport."""

    def __init__(self, threads: DecideThreads | None = None, abort: Callable[[], None] | None = None) -> None:
        self._threads = threads
        self._abort = abort

    async def call(self, function: Callable[[], T]) -> T:
        if self._threads is None:
            return function()
        return await self._threads.run(function)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def within(self, seconds: float, awaited: Awaitable[T]) -> T:
        async with asyncio.timeout(seconds):
            return await awaited

    def drop(self) -> None:
        if self._abort is None:
            raise ConnectionDropped("the scenario dropped the connection")
        self._abort()


_WITHOUT_SERVER = OnLoop()


def runtime_of(scope: MutableMapping[str, Any]) -> Runtime:
    """The runtime that whoever drives the app has put in its scope."""
    runtime: Runtime = scope.get("extensions", {}).get(EXTENSION, _WITHOUT_SERVER)
    return runtime
