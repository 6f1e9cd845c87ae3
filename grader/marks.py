"""What a course holds of each student and lab: the mark in nbgrader's gradebook beside the status in verdict.json."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from grader.course import Course, nbgrader_config
from grader.exam import Exam, read_exam
from grader.notebook import NotANotebook, read_notebook
from grader.status import NOT_GRADED, STATUSES
from grader.submission import mend, read_submission
from grader.verdict_file import VERDICT_FILE, notebook_digest, read_verdict
from stub_server.errors import Mendable
from workshop.lab import Lab


class MarksUnreadable(Mendable):
    """The gradebook is not there, or cannot be read now."""


class NothingHandedIn(Mendable):
    """Nobody handed in any of the labs that are asked for."""


@dataclass(frozen=True)
class Mark:
    """One student's standing in one lab.

    ``points`` is after the late penalty, scores given by hand included, and None where something was not judged.
    ``status`` is the verdict's, or NOT_GRADED; ``first_wrong`` says why where there is no mark. ``needs_a_look`` says
    why a person should look, and is empty where nobody need.
    """

    student: str
    lab_id: str
    points: float | None
    max_points: float
    status: str
    first_wrong: str
    late_penalty: float | None
    is_by_hand: bool
    needs_a_look: str

    @property
    def is_missing(self) -> bool:
        """Something was handed in, and it has no mark: not the student's fault."""
        return self.points is None and self.status != "not_submitted"


@dataclass(frozen=True)
class _Paper:
    """A submission in the gradebook: what the judge gave, the score, and whether nbgrader waits for a person."""

    judged: float | None = None
    score: float | None = None
    penalty: float = 0.0
    is_by_hand: bool = False
    waits: bool = False


def read_marks(course: Course, labs: Sequence[Lab]) -> list[Mark]:
    """A mark for each student of the course and each of the labs that anybody handed in, by lab and student.

    Students are those of nbgrader's gradebook and those in submitted/. Raises MarksUnreadable and NothingHandedIn.
    """
    with open_gradebook(course) as gradebook:
        folders = {path.name for path in course.submitted.glob("*") if path.is_dir() and path.name[0] != "."}
        students = sorted(folders | {student.id for student in gradebook.students})
        marks: list[Mark] = []
        for lab in labs:
            papers, most = _papers(gradebook, lab.id), _max_points(gradebook, lab)
            if papers or any((course.submitted / student / lab.id).is_dir() for student in folders):
                reader = _Reader(course, lab, most)
                marks += [reader.mark(student, papers.get(student, _Paper())) for student in students]
    if not marks:
        raise NothingHandedIn("nothing was handed in there: run admit-one collect and admit-one grade first")
    return marks


@contextmanager
def open_gradebook(course: Course) -> Iterator[Any]:
    """nbgrader's Gradebook, open for reading; raises MarksUnreadable where there is none, or it is locked or broken."""
    from nbgrader.api import Gradebook
    from sqlalchemy.exc import DBAPIError

    if course.database is None and not course.gradebook.is_file():
        raise MarksUnreadable("there is no gradebook yet: run admit-one release, and admit-one grade")
    course_id = nbgrader_config(course).CourseDirectory.course_id
    try:
        with Gradebook(course.db_url, course_id) as gradebook:
            yield gradebook
    except DBAPIError as problem:
        if "locked" in str(problem.orig):
            raise MarksUnreadable("another program has the gradebook locked: close it and run again") from problem
        raise MarksUnreadable(f"the gradebook cannot be read, {problem.orig}: mend that and run again") from problem


def _max_points(gradebook: Any, lab: Lab) -> float:
    from nbgrader.api import MissingEntry

    try:
        return float(gradebook.find_assignment(lab.id).max_score)
    except MissingEntry:
        return lab.points


def _papers(gradebook: Any, lab_id: str) -> dict[str, _Paper]:
    """The submissions of a lab by student. nbgrader's own score of a cell that nobody judged is 0: ours is None."""
    from nbgrader.api import Assignment, Grade, SubmittedAssignment, SubmittedNotebook
    from sqlalchemy import select

    query = (
        select(
            SubmittedAssignment.student_id,
            SubmittedAssignment.late_submission_penalty,
            Grade.auto_score,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
        )
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .where(Assignment.name == lab_id)
    )
    rows: dict[str, list[Any]] = {}
    for row in gradebook.db.execute(query):
        rows.setdefault(row.student_id, []).append(row)
    return {student: _paper(cells) for student, cells in rows.items()}


def _paper(cells: Sequence[Any]) -> _Paper:
    judged = [cell.auto_score for cell in cells if cell.auto_score is not None]
    scores = [cell.auto_score if cell.manual_score is None else cell.manual_score for cell in cells]
    return _Paper(
        judged=sum(judged) if judged else None,
        score=None if None in scores else sum(scores) + sum(cell.extra_credit or 0 for cell in cells),
        penalty=cells[0].late_submission_penalty,
        is_by_hand=any(cell.manual_score is not None for cell in cells),
        waits=any(cell.needs_manual_grade for cell in cells),
    )


class _Reader:
    """Puts gradebook, verdict and submission of one lab together; a verdict holds where the gradebook says the same."""

    def __init__(self, course: Course, lab: Lab, max_points: float) -> None:
        self._course = course
        self._lab = lab
        self._max_points = max_points

    def mark(self, student: str, paper: _Paper) -> Mark:
        verdict = read_verdict(self._course.autograded / student / self._lab.id / VERDICT_FILE)
        data, unreadable = self._submission(student)
        if verdict is None or verdict.points != paper.judged:
            return self._without_verdict(student, paper, data, unreadable)
        status, first = verdict.status, verdict.first_wrong
        reasons = []
        if status == "could_not_grade":
            first = "; ".join(verdict.notes)
        if STATUSES[status].needs_a_look and (status != "could_not_grade" or paper.score is None):
            reasons.append(STATUSES[status].to_instructor)
        elif paper.waits:
            reasons.append("the gradebook waits for a mark by hand")
        if data is not None and notebook_digest(data) != verdict.notebook:
            reasons.append("handed in again since it was graded: run admit-one grade")
        elif data is None and self._path(student).parent.is_dir():
            reasons.append(f"the mark is of what was handed in before; now {unreadable}")
        elif data is None:
            reasons.append("no longer in submitted/")
        return self._row(student, paper, status, first, "; ".join(reasons))

    def _without_verdict(self, student: str, paper: _Paper, data: bytes | None, unreadable: str) -> Mark:
        """Where no verdict holds there is no mark, whatever the gradebook says."""
        if paper.judged is not None:
            why = "no verdict.json holds for the mark in the gradebook"
        elif data is None:
            return self._row(student, _Paper(), "not_submitted", unreadable, "")
        else:
            try:
                mend(read_notebook(data), self._exam)
            except NotANotebook as problem:
                return self._row(student, _Paper(), "not_submitted", str(problem), "")
            why = "handed in, and not graded yet"
        return self._row(student, _Paper(), NOT_GRADED, why, STATUSES[NOT_GRADED].to_instructor)

    def _row(self, student: str, paper: _Paper, status: str, first_wrong: str, look: str) -> Mark:
        return Mark(
            student=student,
            lab_id=self._lab.id,
            points=None if paper.score is None else max(0.0, paper.score - paper.penalty),
            max_points=self._max_points,
            status=status,
            first_wrong=first_wrong,
            late_penalty=None if paper.score is None else paper.penalty,
            is_by_hand=paper.is_by_hand,
            needs_a_look=look,
        )

    @cached_property
    def _exam(self) -> Exam:
        return read_exam(self._course, self._lab.id)

    def _path(self, student: str) -> Path:
        return self._course.submitted / student / self._lab.id / f"{self._lab.id}.ipynb"

    def _submission(self, student: str) -> tuple[bytes | None, str]:
        """The bytes that were handed in; or None, and why there are none that could be graded."""
        try:
            return read_submission(self._path(student)), ""
        except NotANotebook as problem:
            return None, str(problem)
