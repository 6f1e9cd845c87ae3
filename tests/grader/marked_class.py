"""A small class with every standing there is: what tests of exports, feedback and the formgrader look at."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook

from grader.classroom import grade_class
from grader.course import Course
from grader.hand_ins import find_submissions
from grader.launch import Child, CouldNotLaunch, Furniture, Launch
from grader.made_up import fill, solution_cells
from grader.release import release_lab
from grader.solved import read_solved
from tests.hostile.attacks import LAB1, LAB4
from tests.solved import ROOT
from tests.submissions import hand_in, made_up
from workshop.lab import Lab, all_labs

FORMULA = "=1+1"
"""A student's name, and the name of the exception that the student's code raises."""
LATE_CONFIG = """
from nbgrader.plugins import LateSubmissionPlugin


class TwoPoints(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 2.0


get_config().AssignLatePenalties.plugin_class = TwoPoints  # noqa: F821
"""
RAISES = """
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        raise type("=cmd;=1+1", (Exception,), {})
"""
DIES = "import os\nos._exit(1)"


def hand_in_and_mark(course: Course, launch: Launch) -> None:
    """Lab 1 and lab 4 with two students each who did all; in lab 1 all else that can become of a student.

    ada is late; bo has a score by hand; dan's work breaks the grader, and eve's too, whom a person marked; fay was in
    the gradebook already and hands in nothing, gus hands in what is no notebook, and hal after the grading.
    """
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text(encoding="utf-8") + LATE_CONFIG, encoding="utf-8")
    labs = {lab.id: lab for lab in all_labs(course.root)}
    solved = {lab_id: _release(course, lab) for lab_id, lab in labs.items()}
    one = solved[LAB1]
    wrong = next(student for student in made_up("mutants", LAB1) if student.name == "always_admits")
    works = {
        "ada": one,
        "bo": fill(one, wrong.cells),
        FORMULA: fill(one, {"budget": RAISES}),
        "cy_tampered": _tampered(course),
        "cy_crashed": _with_cell(one, DIES),
        "cy_hangs": _with_cell(one, "while True:\n    pass"),
        "dan": _with_cell(one, "dan = 1"),
        "eve": _with_cell(one, "eve = 1"),
        "gus": "no notebook",
    }
    for student, notebook in works.items():
        hand_in(course, student, LAB1, notebook)
    for student in ("ada", "bo"):
        hand_in(course, student, LAB4, solved[LAB4])
    (course.submitted / "ada" / LAB1 / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC")
    with Gradebook(course.db_url, "admit-one") as gradebook:
        gradebook.update_or_create_assignment(LAB1, duedate=datetime(2026, 3, 1))
        gradebook.update_or_create_student("fay")
    breaks = {one.path for one in find_submissions(course, [LAB1]) if one.student in ("dan", "eve")}
    rest = [one for one in find_submissions(course, [LAB1, LAB4]) if one.path not in breaks]
    grade_class(course, rest, launch, workers=2)
    grade_class(course, [one for one in find_submissions(course, [LAB1]) if one.path in breaks], _refuse, workers=1)
    mark_by_hand(course, "bo", {"check-test": 3.5})
    mark_by_hand(course, "eve", dict.fromkeys(_graded_cells(course), 2.0))
    hand_in(course, "hal", LAB1, one)


def mark_by_hand(course: Course, student: str, scores: dict[str, float]) -> None:
    """What the formgrader does where a person types a score."""
    with Gradebook(course.db_url, "admit-one") as gradebook:
        for name, score in scores.items():
            grade = gradebook.find_grade(name, LAB1, LAB1, student)
            grade.manual_score = score
            grade.needs_manual_grade = False
        gradebook.db.commit()


def _graded_cells(course: Course) -> list[str]:
    with Gradebook(course.db_url, "admit-one") as gradebook:
        return [cell.name for cell in gradebook.find_notebook(LAB1, LAB1).grade_cells]


def _release(course: Course, lab: Lab) -> Any:
    """The released notebook, solved."""
    folder = release_lab(course, lab)
    released = nbformat.read(folder / f"{lab.id}.ipynb", as_version=4)
    return fill(released, solution_cells(read_solved(ROOT, lab.id)))


def _with_cell(notebook: Any, source: str) -> Any:
    longer = fill(notebook, {})
    longer.cells.append(new_code_cell(source, id="added"))
    return longer


def _tampered(course: Course) -> Any:
    released = nbformat.read(course.root / "notebooks" / LAB1 / f"{LAB1}.ipynb", as_version=4)
    for cell in released.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.source = 'print("20 of 20 points")'
    return released


def _refuse(files: Furniture, is_hidden: bool) -> Child:
    raise CouldNotLaunch("no room left")
