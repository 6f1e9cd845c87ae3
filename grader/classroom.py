"""Grades a class: results are computed side by side, one writer puts them into nbgrader's gradebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property

from grader.course import Course
from grader.exam import Exam, read_exam
from grader.hand_ins import Submission
from grader.launch import CouldNotLaunch, Launch
from grader.notebook import NotANotebook
from grader.progress import Progress
from grader.results import Result, ResultStore, submission_key
from grader.run_lock import DISK_FULL, CouldNotRecord, could_not_write
from grader.submission import grade_with_retry, lab_version, read_submission
from grader.verdict_file import VERDICT_FILE, Verdict, read_verdict
from grader.writer import Writer, writer

_NOT_AN_ID = frozenset("*?[]{}\\,")
"""In a folder's name nbgrader would read these as a pattern, or as more than one student."""


@dataclass(frozen=True)
class Row:
    """One line of the class: ``points`` is None where nothing was judged. ``is_new`` says that this run recorded it."""

    student: str
    lab_id: str
    points: int | None
    status: str
    first_wrong: str
    is_new: bool


@dataclass(frozen=True)
class Pool:
    """Where results are computed: ``grade`` takes a lab's id and a notebook's bytes, ``width()`` of them at a time.

    A future that ends with CouldNotLaunch says that nothing can be computed there any more, and ends the run.
    """

    executor: Executor
    grade: Callable[[str, bytes], Result]
    width: Callable[[], int]


@contextmanager
def threads(exams: Mapping[str, Exam], launch: Launch, workers: int) -> Iterator[Pool]:
    """Compute here: the work is done in child processes that ``launch`` starts, and threads only wait for them."""
    with ThreadPoolExecutor(workers) as executor:
        yield pool_of(executor, exams, launch, workers)


def pool_of(executor: Executor, exams: Mapping[str, Exam], launch: Launch, workers: int) -> Pool:
    """``executor`` must have as many threads as ``workers``."""
    return Pool(executor, lambda lab_id, data: grade_with_retry(data, exams[lab_id], launch), lambda: workers)


def grade_class(
    course: Course,
    submissions: Sequence[Submission],
    launch: Launch,
    *,
    workers: int,
    records: Writer | None = None,
    resume: bool = True,
    progress: Progress = lambda *_: None,
) -> list[Row]:
    """grade_with, on this machine: ``launch`` starts the children that student code runs in."""
    exams = {lab_id: read_exam(course, lab_id) for lab_id in {one.lab_id for one in submissions}}
    with threads(exams, launch, workers) as pool:
        return grade_with(pool, course, submissions, records=records, resume=resume, progress=progress)


def grade_with(
    pool: Pool,
    course: Course,
    submissions: Sequence[Submission],
    *,
    records: Writer | None = None,
    resume: bool = True,
    progress: Progress = lambda *_: None,
) -> list[Row]:
    """Grade and record ``submissions``; what is recorded already is left as it is, unless ``resume`` is False.

    Each result is kept and recorded as it comes, so that a run which was broken off goes on where it was.
    ``records`` is the writer of this run; without, it is one in this process.
    Raises CouldNotRecord where the gradebook or the disk takes no more.
    """
    labs = {one.lab_id: read_exam(course, one.lab_id).lab for one in submissions}
    versions = {lab_id: lab_version(course, lab) for lab_id, lab in labs.items()}
    with ExitStack() as stack:
        records = records or stack.enter_context(writer(course, list(labs)))
        return _Run(course, records, versions, resume).grade(pool, submissions, progress)


@dataclass(frozen=True)
class _Job:
    """A submission that is being graded: its bytes, and the key of its result."""

    submission: Submission
    data: bytes
    key: str


class _Run:
    """One run over a class: what is recorded from before, and what comes in."""

    def __init__(self, course: Course, records: Writer, versions: dict[str, str], resume: bool) -> None:
        self._course = course
        self._records = records
        self._versions = versions
        self._resume = resume
        self._store = ResultStore(course)

    @cached_property
    def _marks(self) -> dict[str, dict[str, float | None]]:
        return {lab_id: self._records.marks(lab_id) for lab_id in self._versions}

    def grade(self, pool: Pool, submissions: Sequence[Submission], progress: Progress) -> list[Row]:
        rows: dict[Submission, Row] = {}
        running: dict[Future[Result], _Job] = {}
        left = iter(submissions)
        try:
            while True:
                # Some more than are computed at a time, so that nobody waits while this thread writes.
                while len(running) < 2 * pool.width() and (one := next(left, None)):
                    done = self._begin(one, pool)
                    if isinstance(done, Row):
                        rows[one] = done
                        progress("Grading", len(rows), len(submissions))
                    else:
                        running[done[0]] = done[1]
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    job = running.pop(future)
                    rows[job.submission] = self._finish(job, future)
                    progress("Grading", len(rows), len(submissions))
        finally:
            for future in running:
                future.cancel()
        return [rows[one] for one in submissions]

    def _begin(self, one: Submission, pool: Pool) -> Row | tuple[Future[Result], _Job]:
        """The row of what is recorded, cannot be graded, or was computed before; else the work begins."""
        if not one.student.isprintable() or _NOT_AN_ID & set(one.student):
            why = "the folder's name has characters that nbgrader cannot take: rename it"
            return Row(one.student, one.lab_id, None, "could_not_grade", why, False)
        try:
            data = read_submission(one.path)
        except NotANotebook as problem:
            return self._not_submitted(one, problem)
        job = _Job(one, data, submission_key(data, self._versions[one.lab_id]))
        if self._resume:
            recorded = self._recorded(one)
            if recorded and recorded.key == job.key and recorded.status != "could_not_grade":
                first, points = recorded.first_wrong, recorded.points
                return Row(one.student, one.lab_id, points, recorded.status, first, is_new=False)
            known = self._store.get(job.key)
            if known is not None:
                return self._record(job, known)
        return pool.executor.submit(pool.grade, one.lab_id, data), job

    def _finish(self, job: _Job, future: Future[Result]) -> Row:
        try:
            result = future.result()
        except NotANotebook as problem:
            return self._not_submitted(job.submission, problem)
        except CouldNotLaunch:  # which holds for the whole run
            raise
        except Exception as fault:  # it must not cost the others anything
            if isinstance(fault, OSError) and fault.errno in DISK_FULL:
                raise could_not_write(fault) from fault
            result = Result("could_not_grade", (f"a fault of ours: {type(fault).__name__}: {fault}",), {}, {})
        try:
            self._store.put(job.key, result)
        except OSError as problem:
            raise could_not_write(problem) from problem
        return self._record(job, result)

    def _record(self, job: _Job, result: Result) -> Row:
        one = job.submission
        try:
            self._records.record(one.student, one.lab_id, job.key, job.data, result)
        except CouldNotRecord:  # which holds for the whole run
            raise
        except Exception as fault:
            why = f"a fault of ours while recording: {type(fault).__name__}: {fault}"
            return Row(one.student, one.lab_id, None, "could_not_grade", why, is_new=False)
        first = result.first_wrong
        if result.status == "could_not_grade":
            first = "; ".join(result.notes)
        return Row(one.student, one.lab_id, result.points, result.status, first, is_new=True)

    def _recorded(self, one: Submission) -> Verdict | None:
        """The verdict of an earlier run, if the gradebook has the same mark: it may be new, or an old copy."""
        verdict = read_verdict(self._course.autograded / one.student / one.lab_id / VERDICT_FILE)
        if verdict is None:  # and do not open the gradebook for that
            return None
        marks = self._marks[one.lab_id]
        return verdict if one.student in marks and marks[one.student] == verdict.points else None

    def _not_submitted(self, one: Submission, problem: NotANotebook) -> Row:
        why = str(problem)
        if self._recorded(one):
            why += "; the mark of what was handed in before stands"
        return Row(one.student, one.lab_id, None, "not_submitted", why, False)
