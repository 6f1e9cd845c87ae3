"""One run at a time grades a course; and what ends a run."""

from __future__ import annotations

import errno
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from grader.course import Course, writing
from stub_server.errors import Mendable

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_LAST_WORDS_S = 2.0
"""How long the writer of a run that was killed may take to end."""


class CouldNotRecord(Mendable):
    """The run cannot go on: the message says why, and what to do. What is recorded stays recorded."""


def could_not_write(problem: OSError) -> CouldNotRecord:
    """What to do where a file of the course could not be written."""
    mend = "free some space" if problem.errno in DISK_FULL else "make it writable"
    return CouldNotRecord(f"{problem}: {mend} and run again; what is graded is kept")


@contextmanager
def only_run(course: Course) -> Iterator[None]:
    """A second run would grade everything again beside this one. The lock goes with its process, however that ends."""
    path = course.root / course.work / "grading.lock"
    with writing(course, path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("a")
    with lock:
        until = time.monotonic() + _LAST_WORDS_S
        while not _take(lock):
            if time.monotonic() > until:
                raise CouldNotRecord("another run is grading this course: let it end, or end it")
            time.sleep(_LAST_WORDS_S / 100)
        yield


def _take(lock: IO[str]) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as problem:
        raise CouldNotRecord(
            f"{lock.name} cannot be locked: {problem.strerror}: put the course on a disk of this machine"
        ) from problem
    return True
