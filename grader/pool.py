"""Where a run's submissions are graded: on this machine or on a cluster; opened while the rest of the kit is loaded."""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from grader.console import UsageError
from grader.course import Course

if TYPE_CHECKING:
    from grader.classroom import Pool


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Ctrl-C comes at the end: in the middle of an import it could leave another thread's import waiting for ever."""
    came: list[int] = []

    def note(number: int, _: object) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


@contextmanager
def open_pool(
    course: Course, lab_ids: Sequence[str], *, workers: int, dask: str | None, sandbox: bool
) -> Iterator[Pool]:
    """Where submissions are graded: on this machine, or on the cluster whose scheduler is at ``dask``."""
    if dask is None:
        with ExitStack() as stack:
            with _ctrl_c_waits():
                pool = _start_here(stack, course, lab_ids, workers, sandbox)
            yield pool
        return
    try:
        from grader.cluster import cluster
    except ModuleNotFoundError as missing:
        raise UsageError('--dask needs one more package: pip install -e ".[cluster]"') from missing
    with cluster(dask, course, set(lab_ids), sandbox=sandbox) as pool:
        yield pool


def _start_here(stack: ExitStack, course: Course, lab_ids: Sequence[str], workers: int, sandbox: bool) -> Pool:
    from grader.launcher import open_launcher
    from grader.room import read_course_lab, room_files

    # Loading it takes as long as starting the sandboxes does, on another processor.
    threading.Thread(target=importlib.import_module, args=("grader.classroom",), daemon=True).start()
    first = room_files(read_course_lab(course, lab_ids[0]))
    # A run that is broken off ends its sandboxes first, and so the threads that wait for them.
    executor = stack.enter_context(ThreadPoolExecutor(workers))
    launch = stack.enter_context(open_launcher(course.root, sandbox=sandbox, first=first, workers=workers))
    from grader.classroom import pool_of
    from grader.exam import read_exam

    return pool_of(executor, {lab_id: read_exam(course, lab_id) for lab_id in lab_ids}, launch, workers)
