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
LOOK_SECONDS = 0.01
LOOK_COUNTS_SECONDS = 0.1
STUCK_LOOKS = 3


class Hung(Exception):
    """Raised when a call was still running at its limit. It may yet finish, with its effect."""


class NeverStarted(Exception):
    """Raised when every thread was taken for as long as the limit. The call will not run any more."""


class _Call:
    """One call: the thread or the loop, whichever has its `claim` first, decides whether it runs."""

    __slots__ = ("asked", "claim", "function", "future", "started")

    def __init__(self, function: Callable[[], Any], future: asyncio.Future[Any], asked: float) -> None:
        self.function = function
        self.future = future
        self.claim = threading.Lock()
        self.asked = asked
        self.started: float | None = None


class DecideThreads:
    """Runs functions in daemon threads, each for at most `limit_s` seconds of somebody's waiting.

    One thread serves as long as calls get done: it takes the next one without going to sleep, which is what makes
    quick calls cheap. The loop looks at it every 10 ms. Where nothing was done over three looks
    and calls are waiting, each of them gets a thread, up to 32; threads with nothing to do are sent home again. A
    thread that hangs cannot be killed: it is left behind, and up to 256 are, before calls are turned away.

    All counting is done on the loop; a thread takes calls from one queue and puts outcomes on another. Time is
    counted from look to look, at most 0.1 s each: when the whole machine stood still, no call has hung.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, limit_s: float) -> None:
        self._loop = loop
        self._limit_s = limit_s
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._gathered: list[_Call] = []
        self._finished: deque[tuple[_Call, Any]] = deque()
        self._loop_is_told = False
        self._is_looking = False
        self._looked = 0.0
        self._now = 0.0
        self._has_progress = False
        self._looks_stuck = 0
        self._outstanding: dict[_Call, None] = {}
        self._hung: set[_Call] = set()
        self._working = 0
        self._threads: list[threading.Thread] = []

    async def run(self, function: Callable[[], T]) -> T:
        """What the function returns. It must not raise: see `call_decide`.

        Raises:
            Hung: it ran longer than the limit.
            NeverStarted: no thread came free within the limit.
        """
        call = _Call(function, self._loop.create_future(), self._now)
        self._outstanding[call] = None
        if not self._gathered:
            self._loop.call_soon(self._hand_over)
        self._gathered.append(call)
        if not self._is_looking:
            self._is_looking = True
            self._looked = self._loop.time()
            self._loop.call_later(LOOK_SECONDS, self._look)
        result: T = await call.future
        return result

    def _hand_over(self) -> None:
        """Give the calls of one turn of the loop to the threads together: handed over one by one, each would wake
        a thread, and the two would take the interpreter from one another at every turn."""
        if not self._working:
            self._start_threads(1)
        for call in self._gathered:
            self._calls.put(call)
        self._gathered.clear()

    def stop(self, patience_s: float) -> None:
        """End every thread that is not hung, waiting at most that long in all."""
        for _ in self._threads:
            self._calls.put(None)
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _start_threads(self, wanted: int) -> None:
        free = min(WORKING_THREADS - self._working, THREADS_AT_MOST - self._working - len(self._hung))
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for _ in range(min(wanted, free)):
            thread = threading.Thread(target=self._work, name="admit-one-decide", daemon=True)
            thread.start()
            self._threads.append(thread)
            self._working += 1

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call.started = self._now
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
        self._has_progress = True
        while self._finished:
            call, result = self._finished.popleft()
            if call in self._hung:
                self._hung.remove(call)
                self._working += 1  # its thread is back
                continue
            self._outstanding.pop(call, None)
            if not call.future.done():  # it is when the request was cancelled
                call.future.set_result(result)

    def _look(self) -> None:
        self._now += min(self._loop.time() - self._looked, LOOK_COUNTS_SECONDS)
        self._looked = self._loop.time()
        running = waiting = 0
        for call in list(self._outstanding):
            if self._now - call.asked >= self._limit_s and self._give_up(call):
                continue
            if call.started is None:
                waiting += 1
            else:
                running += 1
        is_stuck = waiting > 0 and not self._has_progress and not self._finished
        self._looks_stuck = self._looks_stuck + 1 if is_stuck else 0
        if self._looks_stuck >= STUCK_LOOKS:
            self._start_threads(waiting)
        for _ in range(self._working - running - waiting - 1):
            self._calls.put(None)
            self._working -= 1
        self._has_progress = False
        self._is_looking = bool(self._outstanding) or self._working > 1
        if self._is_looking:
            self._loop.call_later(LOOK_SECONDS, self._look)

    def _give_up(self, call: _Call) -> bool:
        """Answer a call that is over its limit, if it is: what counts is the time since it began."""
        outcome: Exception = NeverStarted()
        if not call.claim.acquire(blocking=False):
            if call.started is None or self._now - call.started < self._limit_s:
                return False
            outcome = Hung()
            self._hung.add(call)
            self._working -= 1
        del self._outstanding[call]
        if not call.future.done():
            call.future.set_exception(outcome)
        return True
