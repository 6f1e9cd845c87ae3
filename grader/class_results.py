"""A class as its report tells it: each mark with the verdict behind it, the name, and when it was handed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from grader.course import Course
from grader.feedback import CheckReport
from grader.marks import Mark, open_gradebook, read_marks
from grader.status import NOT_GRADED
from grader.verdict_file import VERDICT_FILE, read_verdict
from workshop.lab import Lab


@dataclass(frozen=True)
class Standing:
    """One student in one lab. ``points`` is what the judge gave, None where nothing was judged; ``mark`` has the rest.

    ``checks`` holds the verdict by check id. ``name`` is empty and ``handed_in`` None where the gradebook has none;
    the time has its zone.
    """

    mark: Mark
    name: str
    points: int | None
    notes: tuple[str, ...]
    checks: Mapping[str, CheckReport]
    handed_in: datetime | None

    @property
    def student(self) -> str:
        return self.mark.student


def read_class(course: Course, labs: Sequence[Lab]) -> dict[str, list[Standing]]:
    """The students of each of ``labs`` that anybody handed in, by lab; raises as read_marks does."""
    marks = read_marks(course, labs)
    names, times = _read_register(course)
    found: dict[str, list[Standing]] = {}
    for mark in marks:
        key = (mark.student, mark.lab_id)
        found.setdefault(mark.lab_id, []).append(_standing(course, mark, names.get(mark.student, ""), times.get(key)))
    return found


def _standing(course: Course, mark: Mark, name: str, handed_in: datetime | None) -> Standing:
    """read_marks has held the verdict against the gradebook already: where it does not hold, it is not read."""
    if mark.status in ("not_submitted", NOT_GRADED):
        return Standing(mark, name, None, (mark.first_wrong,), {}, handed_in)
    verdict = read_verdict(course.autograded / mark.student / mark.lab_id / VERDICT_FILE)
    if verdict is None:
        return Standing(mark, name, None, (f"{VERDICT_FILE} is gone since the marks were read",), {}, handed_in)
    checks = {report.check_id: report for report in verdict.checks.values()}
    return Standing(mark, name, verdict.points, verdict.notes, checks, handed_in)


def _read_register(course: Course) -> tuple[dict[str, str], dict[tuple[str, str], datetime]]:
    """The students' names, and when each student handed in each lab."""
    from nbgrader.api import Assignment, Student, SubmittedAssignment
    from sqlalchemy import select

    when = select(SubmittedAssignment.student_id, Assignment.name, SubmittedAssignment.timestamp).join(Assignment)
    with open_gradebook(course) as gradebook:
        people = gradebook.db.execute(select(Student.id, Student.first_name, Student.last_name))
        names = {student: " ".join(filter(None, parts)) for student, *parts in people}
        rows = gradebook.db.execute(when)
        return names, {(student, lab): at.replace(tzinfo=UTC) for student, lab, at in rows if at is not None}
