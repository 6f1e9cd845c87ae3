"""A small class for lab 1, a run over it, and all that a run leaves: what tests of the class run need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook

from grader.classroom import grade_class
from grader.course import Course
from grader.hand_ins import find_submissions
from grader.launch import Launch
from grader.made_up import fill, solution_cells
from grader.release import release_lab
from grader.solved import read_solved
from tests.hostile.attacks import LAB1
from tests.solved import ROOT
from tests.submissions import hand_in, made_up
from workshop.lab import Lab, read_lab

STUDENTS = 9
ADMIT_ONE = (str(Path(sys.executable).parent / "admit-one"),)


def lab_of(course: Course) -> Lab:
    return read_lab(course.root / "fixtures" / LAB1, course.root / "permits")


def hand_in_small_class(course: Course) -> None:
    """Release lab 1, and let a class hand in: right, untouched, one whose process dies, and wrong ones."""
    release_lab(course, lab_of(course))
    released = nbformat.read(course.root / "notebooks" / LAB1 / f"{LAB1}.ipynb", as_version=4)
    solved = fill(released, solution_cells(read_solved(ROOT, LAB1)))
    wrong = [fill(solved, one.cells) for one in made_up("mutants", LAB1)[: STUDENTS - 3]]
    dies = fill(solved, {})
    dies.cells.append(new_code_cell("import os\nos._exit(1)", id="dies"))
    for number, notebook in enumerate([solved, released, dies, *wrong]):
        hand_in(course, f"s{number}", LAB1, notebook)


def outcome(course: Course) -> dict[str, Any]:
    """All that a run leaves: each verdict's bytes, the graded notebooks' bytes, the gradebook's marks."""
    files = {
        str(path.relative_to(course.autograded)): path.read_bytes()
        for path in course.autograded.rglob("*")
        if path.is_file()
    }
    return {**files, "marks": marks(course)}


def marks(course: Course) -> dict[str, Any]:
    with Gradebook(course.db_url) as gradebook:
        return {
            one.student.id: (
                one.score,
                one.needs_manual_grade,
                [paper.flagged for paper in one.notebooks],
                sorted((grade.name, grade.auto_score) for paper in one.notebooks for grade in paper.grades),
                sorted((note.name, note.auto_comment) for paper in one.notebooks for note in paper.comments),
            )
            for one in gradebook.assignment_submissions(LAB1)
        }


def grade(course: Course, launch: Launch, *, workers: int = 2, resume: bool = True) -> Any:
    return grade_class(course, find_submissions(course, [LAB1]), launch, workers=workers, resume=resume)


def start(course: Course, *options: str, program: tuple[str, ...] = ADMIT_ONE) -> subprocess.Popen[str]:
    """The command, in a process group of its own."""
    return subprocess.Popen(
        [*program, "grade", "1", "--workers", "2", "--json", "--resume", *options],
        cwd=course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(course: Course, *options: str) -> list[dict[str, Any]]:
    run = start(course, *options)
    told, said = run.communicate(timeout=120)
    assert run.returncode == 0, said
    rows: list[dict[str, Any]] = json.loads(told)
    return rows


def results(course: Course) -> dict[str, int]:
    """The kept results and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in (course.root / "course" / "results").glob("[!.]*.json")}
