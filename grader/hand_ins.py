"""What lies in submitted/: the notebooks that a run is to grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course


@dataclass(frozen=True)
class Submission:
    """One student's notebook for one lab, where ``collect`` or ``nbgrader collect`` put it, or would have."""

    student: str
    lab_id: str
    path: Path


def find_submissions(course: Course, lab_ids: Sequence[str]) -> list[Submission]:
    """One for each student in submitted/ and each of the labs that anybody handed in, by lab and student.

    A student without a readable notebook is among them, and comes out as ``not_submitted``.
    """
    folder = course.submitted
    students = sorted(path.name for path in folder.glob("*") if path.is_dir() and not path.name.startswith("."))
    return [
        Submission(student, lab_id, folder / student / lab_id / f"{lab_id}.ipynb")
        for lab_id in lab_ids
        if any((folder / student / lab_id).is_dir() for student in students)
        for student in students
    ]
