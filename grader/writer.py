"""Who writes the marks of a run: one writer, here or in a process of its own.

Recording takes a third of the processor time that the run itself spends on a submission. In a process of its own it
does not keep those waiting who ask the sandboxes: of the threads of one process, Python runs one at a time.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Protocol

from grader.course import Course
from stub_server.errors import Mendable

if TYPE_CHECKING:
    from grader.record import Recorder
    from grader.results import Result

_ENDS_S = 10.0
_START = "fork" if sys.platform == "linux" else "spawn"


class Writer(Protocol):
    """Where results go, one after another; each call raises CouldNotRecord where the run cannot go on."""

    def marks(self, lab_id: str) -> dict[str, float | None]:
        """What the gradebook says that the judge gave each student for a lab."""

    def record(self, student: str, lab_id: str, key: str, data: bytes, result: Result) -> None:
        """Write the marks and put the graded notebook in its place."""


@contextmanager
def writer(course: Course, lab_ids: Sequence[str]) -> Iterator[Writer]:
    """A writer in this process. Raises CouldNotRecord where another run is grading the course."""
    from grader.record import only_run

    with only_run(course), ExitStack() as stack:
        yield _OpenedLate(course, lab_ids, stack)


@contextmanager
def writer_process(course: Course, lab_ids: Sequence[str]) -> Iterator[Writer]:
    """A writer in a process of its own, which loads nbgrader at once; raises as writer() does.

    Open it before any thread is started. It ends with this process, however that ends, after the record that it is at.
    """
    context: Any = multiprocessing.get_context(_START)
    ours, theirs = context.Pipe()
    inherited = ours if _START == "fork" else None
    process = context.Process(target=_serve, args=(theirs, inherited, course, lab_ids), daemon=True)
    process.start()
    theirs.close()
    try:
        with ours:
            far = _Far(ours)
            far.hear()  # that no other run is grading
            yield far
    finally:
        process.join(_ENDS_S)


class _OpenedLate:
    """Opens the gradebook at the first call: importing nbgrader takes half a second, in which work can begin."""

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
        from grader.record import CouldNotRecord

        try:
            answer, problem = self._wire.recv()
        except (EOFError, OSError):
            ended = "the process that writes the marks was ended: run again; what is graded is kept"
            raise CouldNotRecord(ended) from None
        if problem is not None:
            raise problem
        return answer

    def _ask(self, *request: Any) -> Any:
        with suppress(OSError):  # it has ended, which is heard next
            self._wire.send(request)
        return self.hear()


def _serve(wire: Connection, inherited: Connection | None, course: Course, lab_ids: Sequence[str]) -> None:
    """In the process: answer until the other end closes. Ctrl-C is for the run, which ends this with its work done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if inherited is not None:
        inherited.close()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the run has ended
        try:
            with writer(course, lab_ids) as here:
                wire.send((None, None))
                _serve_requests(wire, here)
        except Mendable as problem:
            wire.send((None, problem))


def _serve_requests(wire: Connection, here: Writer) -> None:
    from grader.quick_start import import_nbgrader

    import_nbgrader()
    while True:
        name, *arguments = wire.recv()
        wire.send(_answer(here, name, arguments))


def _answer(here: Writer, name: str, arguments: list[Any]) -> tuple[Any, Exception | None]:
    try:
        return getattr(here, name)(*arguments), None
    except Exception as problem:
        return None, _portable(problem)


def _portable(problem: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:
        return RuntimeError(f"{type(problem).__name__}: {problem}")
    return problem
