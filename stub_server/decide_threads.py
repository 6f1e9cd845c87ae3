"""Threads in which student code runs, so that none of it can hold up the server."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

WORKING_THREADS = 32
THREADS_AT_MOST = 256


class Hung(Exception):
    """Raised when a call was still running at its limit. It may yet finish, with its effect."""


class NeverStarted(Exception):
    """Raised when every thread was taken for as long as the limit. The call will not run any more."""


class _Call:
    __slots__ = ("claim", "function", "future", "hung", "started", "timer")

    def __init__(self, function: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        self.function = function
        self.future = future
        self.claim = threading.Lock()
        self.started = 0.0
        self.hung = False
        self.timer: asyncio.TimerHandle | None = None


class DecideThreads:
    """Runs functions in daemon threads, each for at most `limit_s` seconds of somebody's waiting.

    A thread cannot be killed: one that hangs is left behind and a new one takes its place, up to 256 in all.
    All counting is done on the loop; a thread only takes calls from a queue and puts outcomes on another.
    Finished calls are handed back together, since waking the loop is what costs.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, limit_s: float) -> None:
        self._loop = loop
        self._limit_s = limit_s
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._finished: deque[tuple[_Call, Any]] = deque()
        self._loop_is_told = False
        self._threads: list[threading.Thread] = []
        self._outstanding = 0
        self._hung = 0

    async def run(self, function: Callable[[], T]) -> T:
        """What the function returns. It must not raise: see `call_decide`.

        Raises:
            Hung: it ran longer than the limit.
            NeverStarted: no thread came free within the limit.
        """
        call = _Call(function, self._loop.create_future())
        call.timer = self._loop.call_later(self._limit_s, self._expire, call)
        self._outstanding += 1
        self._calls.put(call)
        working = len(self._threads) - self._hung
        if working < min(self._outstanding, WORKING_THREADS) and len(self._threads) < THREADS_AT_MOST:
            thread = threading.Thread(target=self._work, name="admit-one-decide", daemon=True)
            self._threads.append(thread)
            thread.start()
        result: T = await call.future
        return result

    def stop(self, patience_s: float) -> None:
        """End every thread that is not hung, waiting at most that long in all."""
        for _ in self._threads:
            self._calls.put(None)
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call.started = time.monotonic()
            if not call.claim.acquire(blocking=False):
                continue  # given up before it began
            self._finished.append((call, call.function()))
            del call
            if not self._loop_is_told:
                self._loop_is_told = True
                try:
                    self._loop.call_soon_threadsafe(self._settle)
                except RuntimeError:
                    return  # the loop has closed: nobody waits

    def _settle(self) -> None:
        # The flag first: what a thread appends after it will wake the loop again.
        self._loop_is_told = False
        while self._finished:
            call, result = self._finished.popleft()
            if call.hung:
                self._hung -= 1
                continue
            self._outstanding -= 1
            if call.timer is not None:
                call.timer.cancel()
            if not call.future.done():  # it is when the request was cancelled
                call.future.set_result(result)

    def _expire(self, call: _Call) -> None:
        if call.claim.acquire(blocking=False):
            self._outstanding -= 1
            if not call.future.done():
                call.future.set_exception(NeverStarted())
            return
        left = call.started + self._limit_s - time.monotonic()
        if left > 0:
            call.timer = self._loop.call_later(left, self._expire, call)
            return
        call.hung = True
        self._hung += 1
        self._outstanding -= 1
        if not call.future.done():
            call.future.set_exception(Hung())
