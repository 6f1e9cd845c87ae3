"""Student code in threads: timed from when it begins, left behind when it hangs, never begun when none is free."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from stub_server import decide_threads
from stub_server.decide_threads import DecideThreads, Hung, NeverStarted


def test_what_a_function_returns_comes_back_from_another_thread() -> None:
    async def run() -> int:
        threads = DecideThreads(asyncio.get_running_loop(), 1)
        try:
            return await threads.run(threading.get_ident)
        finally:
            threads.stop(1)

    assert asyncio.run(run()) != threading.get_ident()


def test_a_hung_call_is_given_up_at_the_limit_and_its_thread_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide_threads, "WORKING_THREADS", 1)
    release = threading.Event()

    async def run() -> None:
        threads = DecideThreads(asyncio.get_running_loop(), 0.2)
        with pytest.raises(Hung):
            await threads.run(lambda: release.wait(30))
        assert await threads.run(lambda: 7) == 7
        release.set()
        threads.stop(1)

    asyncio.run(run())


def test_a_call_that_found_no_thread_is_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide_threads, "WORKING_THREADS", 2)
    monkeypatch.setattr(decide_threads, "THREADS_AT_MOST", 2)
    release = threading.Event()
    ran: list[int] = []

    async def run() -> None:
        threads = DecideThreads(asyncio.get_running_loop(), 0.2)
        hung = await asyncio.gather(*(threads.run(lambda: release.wait(10)) for _ in range(2)), return_exceptions=True)
        assert [type(one) for one in hung] == [Hung, Hung]
        with pytest.raises(NeverStarted):
            await threads.run(lambda: ran.append(1))
        release.set()
        await threads.run(lambda: ran.append(2))
        threads.stop(1)

    asyncio.run(run())
    assert ran == [2]


def test_waiting_in_the_queue_is_no_part_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide_threads, "WORKING_THREADS", 1)

    async def run() -> list[object]:
        threads = DecideThreads(asyncio.get_running_loop(), 0.5)
        slow = [threads.run(lambda: time.sleep(0.3)) for _ in range(2)]
        outcomes = await asyncio.gather(*slow, return_exceptions=True)
        threads.stop(1)
        return list(outcomes)

    assert asyncio.run(run()) == [None, None]


def test_stopping_leaves_no_thread() -> None:
    before = threading.active_count()

    async def run() -> None:
        threads = DecideThreads(asyncio.get_running_loop(), 1)
        await asyncio.gather(*(threads.run(lambda: time.sleep(0.01)) for _ in range(50)))
        threads.stop(1)

    asyncio.run(run())
    assert threading.active_count() == before
