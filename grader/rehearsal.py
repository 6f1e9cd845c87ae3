"""The rehearsal: a made-up class hands in every lab, nbgrader grades it, and each mark is held against its due."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from grader.classroom import Row, grade_class
from grader.course import Course
from grader.feedback_pages import Page, write_pages
from grader.hand_ins import Submission
from grader.launch import Launch
from grader.made_up import fill, read_cells, solution_cells
from grader.marks import open_gradebook, read_marks
from grader.plan import AskCheck, make_plan
from grader.progress import Progress
from grader.release import release_lab
from grader.report import write_report
from grader.solved import dump, read_solved
from grader.writer import writer_process
from workshop.lab import Lab, all_labs

FOLDER = "course/rehearsal"


@dataclass(frozen=True)
class Part:
    """One made-up submission, and the marks and status it must get."""

    student: str
    lab_id: str
    notebook: Any
    points: int
    status: str


@dataclass(frozen=True)
class Outcome:
    """What a part got: the row of the class, the points in nbgrader's gradebook, and whether it has a feedback page."""

    part: Part
    row: Row
    recorded: float | None
    has_page: bool

    @property
    def is_as_expected(self) -> bool:
        return (
            self.row.points == self.part.points
            and self.row.status == self.part.status
            and self.recorded == self.part.points
        )


def rehearsal_course(root: Path) -> Course:
    """A course of its own below course/, so that a rehearsal never touches a real gradebook."""
    return Course(root, release=f"{FOLDER}/notebooks", work=FOLDER)


def cast_of(lab: Lab, released: Any, root: Path) -> list[Part]:
    """The made-up submissions for one lab: right, untouched, named mistakes, hung, exited, with edited checks."""
    answers = solution_cells(read_solved(root, lab.id))
    solved = fill(released, answers)
    points = {group.id: group.points for check in lab.checks for group in check.groups}
    parts = [
        Part("all_right", lab.id, solved, lab.points, "graded"),
        Part("untouched", lab.id, released, 0, "graded"),
        Part("edits_checks", lab.id, _with_edited_checks(released, lab), 0, "tampered"),
    ]
    last = list(answers)[-1]
    kept = lab.points - _points_resting_on(last, solved, lab)
    for student, source, status in (
        ("hangs", "while True:\n    pass", "timed_out"),
        ("exits", "import os\n\nos._exit(0)", "crashed"),
    ):
        parts.append(Part(student, lab.id, fill(solved, {last: source}), kept, status))
    for name in lab.rehearsal:
        mistake = read_cells(root / "tests" / "mutants" / lab.id / f"{name}.py")
        lost = sum(points[group] for group in mistake.loses)
        parts.append(Part(name, lab.id, fill(solved, mistake.cells), lab.points - lost, "graded"))
    return parts


def _with_edited_checks(released: Any, lab: Lab) -> Any:
    """Nothing filled in, but every grading cell claims full marks."""
    edited = nbformat.from_dict(released)
    for cell in edited.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.source = f'print("{lab.points} of {lab.points} points")'
    return edited


def _points_resting_on(grade_id: str, solved: Any, lab: Lab) -> int:
    """The points of the checks that ask about a name which the cell defines."""
    source = next(cell.source for cell in solved.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id)
    body = ast.parse(source).body
    definitions = ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef
    names = {node.name for node in body if isinstance(node, definitions)}
    targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    names |= {target.id for target in targets if isinstance(target, ast.Name)}
    steps = make_plan(solved)
    asked = {step.check_id for step in steps if isinstance(step, AskCheck) and names & set(step.names)}
    return sum(lab.check(check_id).points for check_id in asked)


def rehearse(root: Path, launch: Launch, *, workers: int, progress: Progress = lambda *_: None) -> list[Outcome]:
    """Release every lab, hand in the made-up class, grade it, write nbgrader's feedback pages and the class report."""
    course = rehearsal_course(root)
    shutil.rmtree(root / FOLDER, ignore_errors=True)
    labs = all_labs(root)
    parts: list[Part] = []
    progress("Releasing", 0, len(labs))
    for done, lab in enumerate(labs, start=1):
        folder = release_lab(course, lab)
        parts += cast_of(lab, nbformat.read(folder / f"{lab.id}.ipynb", as_version=4), root)
        progress("Releasing", done, len(labs))
    submissions = [_hand_in(course, part) for part in parts]
    progress("Grading", 0, len(submissions))
    with writer_process(course, [lab.id for lab in labs]) as records:
        rows = grade_class(course, submissions, launch, workers=workers, records=records, progress=progress)
    pages = write_pages(course, read_marks(course, labs), progress)
    write_report(course, labs, course.report, progress)
    return _outcomes(course, parts, rows, pages)


def _hand_in(course: Course, part: Part) -> Submission:
    path = course.submitted / part.student / part.lab_id / f"{part.lab_id}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump(part.notebook), encoding="utf-8")
    return Submission(part.student, part.lab_id, path)


def _outcomes(course: Course, parts: Sequence[Part], rows: Sequence[Row], pages: Sequence[Page]) -> list[Outcome]:
    from nbgrader.api import MissingEntry

    written = {(page.student, page.lab_id) for page in pages if not page.trouble}
    outcomes = []
    with open_gradebook(course) as gradebook:
        for part, row in zip(parts, rows, strict=True):
            try:
                recorded = gradebook.find_submission(part.lab_id, part.student).score
            except MissingEntry:
                recorded = None
            outcomes.append(Outcome(part, row, recorded, (part.student, part.lab_id) in written))
    return outcomes
