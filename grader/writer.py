"""Who writes the marks of a run: one writer, here or in a process of its own.

Recording takes a third of the processor time that the run itself spends on a submission. In a process of its own it
does not keep those waiting who ask the sandboxes: of the threads of one process, Python runs one at a time.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Protocol

from grader.course import Course
from grader.quick_start import import_nbgrader, leave_out_slow_imports
from grader.run_lock import CouldNotRecord, only_run

if TYPE_CHECKING:
    from grader.record import Recorder
    from grader.results import Result

_ENDS_S = 10.0
_LOG = logging.getLogger("admit_one")
_ANSWER, _RAISED, _SAID = range(3)


class Writer(Protocol):
    """Where results go, one after another; each call raises CouldNotRecord where the run cannot go on."""

    def marks(self, lab_id: str) -> dict[str, float | None]:
        """What the gradebook says that the judge gave each student for a lab."""

    def record(self, student: str, lab_id: str, key: str, data: bytes, result: Result) -> None:
        """Write the marks and put the graded notebook in its place."""


@contextmanager
def writer(course: Course, lab_ids: Sequence[str]) -> Iterator[Writer]:
    """A writer in this process. Raises CouldNotRecord where another run is grading the course."""
    with only_run(course), ExitStack() as stack:
        yield _OpenedLate(course, lab_ids, stack)


@contextmanager
def writer_process(course: Course, lab_ids: Sequence[str]) -> Iterator[Writer]:
    """A writer in a process of its own, which loads nbgrader at once; raises as writer() does.

    Left in whatever way, it finishes the record that it is at. It ends with this process, however that ends: killed
    as well, for a record that was broken off is made again.
    """
    # A fork has all that is loaded, but is safe only while there is one thread.
    is_fork = sys.platform == "linux" and threading.active_count() == 1
    context: Any = multiprocessing.get_context("fork" if is_fork else "spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, ours if is_fork else None, course, lab_ids), daemon=True)
    with _no_ctrl_c():
        process.start()
    theirs.close()
    try:
        with ours:
            far = _Far(ours)
            far.hear()  # that no other run is grading
            yield far
    finally:
        process.join(_ENDS_S)
        process.kill()  # Python would wait for it without end


class _OpenedLate:
    """Opens the gradebook at the first call, and so not for a run in which there is nothing to record."""

    def __init__(self, course: Course, lab_ids: Sequence[str], stack: ExitStack) -> None:
        self._course = course
        self._lab_ids = lab_ids
        self._stack = stack
        self._opened: Recorder | None = None

    def marks(self, lab_id: str) -> dict[str, float | None]:
        return self._recorder().marks(lab_id)

    def record(self, student: str, lab_id: str, key: str, data: bytes, result: Result) -> None:
        self._recorder().record(student, lab_id, key, data, result)

    def _recorder(self) -> Recorder:
        if self._opened is None:
            from grader.exam import read_exam
            from grader.record import open_recorder

            exams = {lab_id: read_exam(self._course, lab_id) for lab_id in self._lab_ids}
            self._opened = self._stack.enter_context(open_recorder(self._course, exams))
        return self._opened


class _Far:
    """The near end of a writer process."""

    def __init__(self, wire: Connection) -> None:
        self._wire = wire

    def marks(self, lab_id: str) -> dict[str, float | None]:
        found: dict[str, float | None] = self._ask("marks", lab_id)
        return found

    def record(self, student: str, lab_id: str, key: str, data: bytes, result: Result) -> None:
        self._ask("record", student, lab_id, key, data, result)

    def hear(self) -> Any:
        """The answer to what was asked; what the writer logs meanwhile is logged here."""
        while True:
            try:
                kind, what = self._wire.recv()
            except (EOFError, OSError):
                raise CouldNotRecord(
                    "the process that writes the marks was ended: run again; what is graded is kept"
                ) from None
            if kind == _RAISED:
                raise what
            if kind == _ANSWER:
                return what
            _LOG.warning(what)

    def _ask(self, *request: Any) -> Any:
        with suppress(OSError):  # it has ended, which is heard next
            self._wire.send(request)
        return self.hear()


class _OverWire(logging.Handler):
    def __init__(self, wire: Connection) -> None:
        super().__init__()
        self._wire = wire

    def emit(self, record: logging.LogRecord) -> None:
        self._wire.send((_SAID, record.getMessage()))


@contextmanager
def _no_ctrl_c() -> Iterator[None]:
    """What is started in here never hears of one: it is for the run, which ends its writer with the work done."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(wire: Connection, inherited: Connection | None, course: Course, lab_ids: Sequence[str]) -> None:
    """In the process: answer until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if inherited is not None:
        inherited.close()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _LOG.addHandler(_OverWire(wire))
    _LOG.propagate = False
    leave_out_slow_imports()
    try:
        with writer(course, lab_ids) as here:
            wire.send((_ANSWER, None))
            import_nbgrader()
            while True:
                name, *arguments = wire.recv()
                wire.send(_answer(here, name, arguments))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the run has ended
    except Exception as problem:
        with suppress(OSError):
            wire.send((_RAISED, _portable(problem)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _answer(here: Writer, name: str, arguments: list[Any]) -> tuple[int, Any]:
    try:
        return _ANSWER, getattr(here, name)(*arguments)
    except Exception as problem:
        return _RAISED, _portable(problem)


def _portable(problem: Exception) -> Exception:
    """As it is where it can be sent; with the lines that led to it, which stay here."""
    where = traceback.format_exc()
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:
        problem = RuntimeError(f"{type(problem).__name__}: {problem}")
    problem.add_note(where)
    return problem
