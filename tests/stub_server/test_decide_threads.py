"""Student code in threads: timed from when it begins, left behind when it hangs, never begun when none is free."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from stub_server import decide_threads
from stub_server.decide_threads import DecideThreads, Hung, NeverStarted
from tests.waiting import LONG_S

LIMIT_S = 0.5


class Clock:
    """The running loop with a clock that goes only when it is told to, however long things really take."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._now = 0.0

    def time(self) -> float:
        return self._now

    async def goes_on(self, tenths: int) -> None:
        """Each tenth of a second is looked at: the sleep's timer stands behind that of the next look."""
        for _ in range(tenths):
            self._now += 0.1
            await asyncio.sleep(2 * decide_threads.LOOK_SECONDS)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)


class Held:
    """A call that begins, and then goes on when it is released."""

    def __init__(self) -> None:
        self._began, self._release = threading.Event(), threading.Event()

    def __call__(self) -> int:
        self._began.set()
        self._release.wait(LONG_S)
        return 7

    async def has_begun(self) -> None:
        assert await asyncio.to_thread(self._began.wait, LONG_S)

    def release(self) -> None:
        self._release.set()


def with_threads(run: Callable[[DecideThreads, Clock], Awaitable[None]]) -> None:
    async def start_and_stop() -> None:
        clock = Clock()
        threads = DecideThreads(clock, LIMIT_S)  # type: ignore[arg-type]
        await run(threads, clock)
        threads.stop(LONG_S)

    asyncio.run(start_and_stop())


def test_what_a_function_returns_comes_back_from_another_thread() -> None:
    async def run(threads: DecideThreads, clock: Clock) -> None:
        assert await threads.run(threading.get_ident) != threading.get_ident()

    with_threads(run)


def test_a_hung_call_is_given_up_at_the_limit_and_its_thread_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide_threads, "WORKING_THREADS", 1)

    async def run(threads: DecideThreads, clock: Clock) -> None:
        hangs = Held()
        call = asyncio.create_task(threads.run(hangs))
        await hangs.has_begun()
        await clock.goes_on(tenths=4)
        assert not call.done()
        await clock.goes_on(tenths=6)
        with pytest.raises(Hung):
            call.result()
        assert await threads.run(lambda: 7) == 7
        hangs.release()

    with_threads(run)


def test_a_call_that_found_no_thread_is_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide_threads, "WORKING_THREADS", 2)
    monkeypatch.setattr(decide_threads, "THREADS_AT_MOST", 2)
    ran: list[int] = []

    async def run(threads: DecideThreads, clock: Clock) -> None:
        hang = Held(), Held()
        calls = [asyncio.create_task(threads.run(one)) for one in hang]
        for one in hang:
            await one.has_begun()
        await clock.goes_on(tenths=10)
        assert [type(call.exception()) for call in calls] == [Hung, Hung]
        waits = asyncio.create_task(threads.run(lambda: ran.append(1)))
        await clock.goes_on(tenths=10)
        assert isinstance(waits.exception(), NeverStarted)
        for one in hang:
            one.release()
        await threads.run(lambda: ran.append(2))

    with_threads(run)
    assert ran == [2]


def test_waiting_in_the_queue_is_no_part_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide_threads, "WORKING_THREADS", 1)

    async def run(threads: DecideThreads, clock: Clock) -> None:
        slow = Held(), Held()
        calls = [asyncio.create_task(threads.run(one)) for one in slow]
        for one in slow:
            await one.has_begun()
            await clock.goes_on(tenths=3)
            one.release()
        assert await asyncio.gather(*calls) == [7, 7]

    with_threads(run)


def test_stopping_leaves_no_thread() -> None:
    before = threading.active_count()

    async def run(threads: DecideThreads, clock: Clock) -> None:
        await asyncio.gather(*(threads.run(lambda: time.sleep(0.01)) for _ in range(50)))

    with_threads(run)
    assert threading.active_count() == before
