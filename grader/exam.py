"""What grading a lab takes, read once: its description, the released notebook, all cases, the files of its room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from grader.cases import HIDDEN_FILE, Case, hidden_cases, public_cases
from grader.course import Course
from grader.diagnose import HIDDEN_PATTERNS_FILE, KnownMistakes, read_patterns
from grader.launch import Furniture
from grader.notebook import read_notebook
from grader.room import read_course_lab, room_files
from workshop.lab import Lab

Cases = Mapping[str, tuple[Case, ...]]


@dataclass(frozen=True, eq=False)
class Exam:
    """One lab as it is graded. ``patterns`` tells mistakes apart, by check id; nobody may change ``released``."""

    lab: Lab
    released: NotebookNode
    public: Cases
    hidden: Cases
    patterns: Mapping[str, KnownMistakes]
    room: Furniture


def read_exam(course: Course, lab_id: str) -> Exam:
    """All that grading ``lab_id`` takes, from the course's files; what is missing or malformed raises."""
    lab = read_course_lab(course, lab_id)
    solutions = course.root / "solutions"
    return Exam(
        lab=lab,
        released=read_notebook(released_path(course, lab_id).read_bytes()),
        public=public_cases(lab),
        hidden=hidden_cases(lab, solutions),
        patterns=read_patterns(solutions / lab_id / HIDDEN_PATTERNS_FILE),
        room=room_files(lab),
    )


def released_path(course: Course, lab_id: str) -> Path:
    return course.root / course.release / lab_id / f"{lab_id}.ipynb"


def files_of_lab(course: Course, lab: Lab) -> dict[str, Path]:
    """All files of a course that a mark in ``lab`` depends on, by their path in a repository."""
    solutions = course.root / "solutions" / lab.id
    found = {
        f"fixtures/{lab.id}/{path.relative_to(lab.data).as_posix()}": path
        for path in sorted(lab.data.rglob("*"))
        if path.is_file()
    }
    found |= {f"permits/{name}": lab.permits / name for name in lab.permit_names}
    found |= {f"solutions/{lab.id}/{name}": solutions / name for name in (HIDDEN_FILE, HIDDEN_PATTERNS_FILE)}
    found[f"notebooks/{lab.id}/{lab.id}.ipynb"] = released_path(course, lab.id)
    return {name: path for name, path in found.items() if path.is_file()}
