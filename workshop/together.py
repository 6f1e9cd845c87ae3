"""Calls that start at the same moment, each in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def start_together(ask: Callable[[], T], times: int, *, within_s: float) -> list[T]:
    """What ``ask`` gives to as many threads, in the order in which they came back.

    Raises what one of them raised, or TimeoutError where one did not come back in time: it is left behind.
    """
    start = threading.Barrier(times)
    replies: list[T] = []
    raised: list[BaseException] = []

    def ask_when_all_are_here() -> None:
        start.wait()
        try:
            replies.append(ask())
        except BaseException as problem:
            raised.append(problem)

    threads = [threading.Thread(target=ask_when_all_are_here, daemon=True) for _ in range(times)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + within_s
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    if raised:
        raise raised[0]
    if len(replies) < times:
        raise TimeoutError(f"{times - len(replies)} requests got no reply; is the lock let go every time?")
    return replies
