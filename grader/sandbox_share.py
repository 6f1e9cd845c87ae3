"""Keeps a notebook that takes long to one processor, so that its neighbours keep theirs (spec 4, the class).

Processes that spin take a share of the machine each, and where a session counts as one (the kernel's autogroups), a
share for each session they make: honest notebooks beside 64 of them took ten times their time. A processor is what
they cannot get more of: the sandbox refuses sched_setaffinity, and what they start inherits it.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil

from grader.bounds import Bounds

_LOOK_EVERY_S = 0.25
"""A look goes through all processes of the machine."""
_LOOKS = 5
"""A process can start others while they are looked for; they are looked for again, but not without end."""


class Processors:
    """The processors of this machine, and how many notebooks are kept to each. Where they are more, they share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept = Counter(dict.fromkeys(sorted(os.sched_getaffinity(0)), 0))

    def take(self) -> int:
        """The number of one that the fewest are kept to, any of them: other processes of the machine choose as well."""
        with self._lock:
            fewest = min(self._kept.values())
            number = random.choice([number for number, kept in self._kept.items() if kept == fewest])
            self._kept[number] += 1
            return number

    def give_back(self, number: int) -> None:
        with self._lock:
            self._kept[number] -= 1


_PROCESSORS = Processors()


class LongRun:
    """What one notebook runs below a sandbox's ``first_process``, a pid of ours; once it is long, on one processor."""

    def __init__(self, first_process: int) -> None:
        self._first_process = first_process
        self._started = self._next_look = time.monotonic()
        self._processor: int | None = None

    def watch(self, bounds: Bounds) -> None:
        """To be called again and again: what has started meanwhile is kept there as well."""
        now = time.monotonic()
        if now < max(self._next_look, self._started + bounds.unshared_s):
            return
        self._next_look = now + _LOOK_EVERY_S
        if self._processor is None:
            self._processor = _PROCESSORS.take()
        keep_to_one(self._processor, self._first_process)

    def end(self) -> None:
        if self._processor is not None:
            _PROCESSORS.give_back(self._processor)
            self._processor = None


def keep_to_one(processor: int, first_process: int) -> None:
    """Move all that runs below ``first_process`` to ``processor``."""
    for _ in range(_LOOKS):
        moved = [_move(thread, processor) for thread in _threads_below(first_process)]
        if not any(moved):
            return


def _threads_below(pid: int) -> Iterator[int]:
    """The thread ids of all its descendants: an affinity is a thread's."""
    try:
        family = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return
    for member in family:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            yield from [int(thread.name) for thread in Path(f"/proc/{member.pid}/task").iterdir()]


def _move(thread: int, processor: int) -> bool:
    """True where it was not kept to it before."""
    try:
        if os.sched_getaffinity(thread) == {processor}:
            return False
        os.sched_setaffinity(thread, {processor})
    except OSError:  # it has ended meanwhile
        return False
    return True
