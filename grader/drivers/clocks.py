"""Clocks that stand still, jump or are moved by a sleep, put in place of the real ones while a case runs."""

from __future__ import annotations

import datetime
import itertools
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from grader.drivers.stand_ins import stand_ins

START_S = 1_700_000_000.0
JUMP_S = 3600.0
_READERS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")


def standing_still() -> Callable[[], float]:
    """A clock that always shows the same second."""
    return lambda: START_S


def jumping() -> Callable[[], float]:
    """A clock that is an hour further each time it is read."""
    readings = itertools.count()
    return lambda: START_S + JUMP_S * next(readings)


def clock(read: Callable[[], float], *namespaces: dict[str, Any]) -> AbstractContextManager[None]:
    """Let ``time`` and ``datetime`` show what ``read`` gives (s), also where a namespace imported them by name.

    Only in this thread: the notebook's own threads go on with the real clock.
    """
    fakes = _fakes(read)
    return stand_ins(
        *(
            (names, {name: fakes[id(value)] for name, value in names.items() if id(value) in fakes})
            for names in (vars(time), vars(datetime), *namespaces)
        )
    )


def sleep_moves(advance: Callable[[float], None], names: dict[str, Any]) -> AbstractContextManager[None]:
    """Let ``time.sleep`` call ``advance`` (s) and come back at once, also where ``names`` has it by another name.

    Only in this thread, too.
    """
    here, real_sleep = threading.get_ident(), time.sleep

    def sleep(seconds: float) -> None:
        if threading.get_ident() == here:
            advance(seconds)
        else:
            real_sleep(seconds)

    own = {name: sleep for name, value in names.items() if value is real_sleep}
    return stand_ins((vars(time), {"sleep": sleep}), (names, own))


def _fakes(read: Callable[[], float]) -> dict[int, Any]:
    """The stand-ins by the id of what they stand in for."""
    here = threading.get_ident()

    def reader(real: Callable[[], Any], unit: Callable[[float], Any]) -> Callable[[], Any]:
        return lambda: unit(read()) if threading.get_ident() == here else real()

    class MovedDatetime(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> MovedDatetime:
            return cls.fromtimestamp(read() if threading.get_ident() == here else real_time(), tz)

        @classmethod
        def utcnow(cls) -> MovedDatetime:
            return cls.now(datetime.UTC).replace(tzinfo=None)

    real_time = time.time
    fakes: dict[int, Any] = {id(datetime.datetime): MovedDatetime}
    for name in _READERS:
        for suffix, unit in (("", float), ("_ns", lambda seconds: int(seconds * 1e9))):
            real = getattr(time, name + suffix, None)
            if real is not None:
                fakes[id(real)] = reader(real, unit)
    return fakes
