"""A course of its own: a copy of the labs' data with a marker in everything hidden, and a class that hands in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from grader import cli
from grader.classroom import Row, find_submissions, grade_class
from grader.course import Course, nbgrader_api
from grader.launch import Launch
from grader.made_up import fill, solution_cells
from grader.release import release_lab
from grader.solved import dump, read_solved, solved_path
from tests.grader.marked_class import hand_in_and_mark
from tests.grader.small_class import STUDENTS, grade, hand_in_small_class, outcome
from tests.hostile.attacks import LAB1, LAB4, STASH, STASH_SHOWN_LATER
from tests.solved import ROOT
from tests.submissions import hand_in
from workshop.lab import all_labs

MARKER = "XYZZY-HIDDEN-MARKER"


@dataclass
class GradedClass:
    """The course, its rows by (student, lab), and what ran them again."""

    course: Course
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of this environment at the course's root."""
        program = Path(sys.executable).parent / command[0]
        return subprocess.run(
            [str(program), *command[1:]], cwd=self.course.root, capture_output=True, text=True, timeout=240
        )


def plant(root: Path) -> None:
    """Put the marker into every hidden case, design note and reference solution below ``root``."""
    for path in root.glob("solutions/*/hidden_cases.json"):
        table = json.loads(path.read_text(encoding="utf-8"))
        for rows in table.values():
            for row in rows:
                row["what"] += MARKER
                row["input"]["note"] = MARKER
        path.write_text(json.dumps(table), encoding="utf-8")
    for path in root.glob("solutions/*/design.md"):
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{MARKER}\n", encoding="utf-8")
    for lab in all_labs(root):
        notebook = read_solved(root, lab.id)
        for cell in notebook.cells:
            cell.source = cell.source.replace("### BEGIN SOLUTION", f"### BEGIN SOLUTION\n    # {MARKER}")
        solved_path(root, lab.id).write_text(dump(notebook), encoding="utf-8")


def copy_course(folder: Path) -> Course:
    """The data of labs 1 and 4 below ``folder``, as a fresh clone has it."""
    for name in ("permits", *(f"{kind}/{lab_id}" for kind in ("fixtures", "solutions") for lab_id in (LAB1, LAB4))):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return Course(folder)


@pytest.fixture(scope="session")
def graded_class(tmp_path_factory: pytest.TempPathFactory, launch: Launch) -> GradedClass:
    """Labs 1 and 4 released, handed in by a small class, graded, with feedback pages written."""
    course = copy_course(tmp_path_factory.mktemp("course"))
    plant(course.root)
    for lab in all_labs(course.root):
        release_lab(course, lab)
    for lab_id in (LAB1, LAB4):
        released = nbformat.read(course.root / "notebooks" / lab_id / f"{lab_id}.ipynb", as_version=4)
        solved = fill(released, solution_cells(read_solved(ROOT, lab_id)))
        hand_in(course, "solved", lab_id, solved)
        hand_in(course, "untouched", lab_id, released)
        noisy = nbformat.from_dict(solved)
        noisy.cells.insert(2, new_code_cell(NOISE, id="noise"))
        hand_in(course, "noisy", lab_id, noisy)
        if lab_id == LAB1:
            stash = fill(solved, {"budget": STASH})
            stash.cells.append(new_code_cell(STASH_SHOWN_LATER, id="later"))
            hand_in(course, "stash", lab_id, stash)
    hand_in(course, "no_notebook", LAB1, "this is not a notebook")
    graded = GradedClass(course)
    submissions = find_submissions(course, [LAB1, LAB4])
    graded.rows = {(row.student, row.lab_id): row for row in grade_class(course, submissions, launch, workers=2)}
    for lab_id in (LAB1, LAB4):
        nbgrader_api(course).generate_feedback(lab_id)
    return graded


NOISE = """
import logging, sys, warnings

logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
logging.warning("a log line")
warnings.warn("a warning")
print("printed", flush=True)
print("to stderr", file=sys.stderr)
sys.settrace(None)
"""


@pytest.fixture(scope="session")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = copy_course(tmp_path_factory.mktemp("handed_in"))
    hand_in_small_class(course)
    return course


@pytest.fixture
def course(handed_in: Course, tmp_path: Path) -> Course:
    """A copy of the small class, not graded yet."""
    shutil.copytree(handed_in.root, tmp_path / "course")
    return Course(tmp_path / "course")


@pytest.fixture(scope="session")
def undisturbed(handed_in: Course, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What grading the small class leaves: one worker, and nothing goes wrong."""
    folder = tmp_path_factory.mktemp("undisturbed") / "course"
    shutil.copytree(handed_in.root, folder)
    rows = grade(Course(folder), launch, workers=1)
    assert {row.status for row in rows} == {"graded", "crashed"}
    found = outcome(Course(folder))
    assert len(found["marks"]) == STUDENTS
    return found


@pytest.fixture(scope="session")
def marked(tmp_path_factory: pytest.TempPathFactory, launch: Launch) -> Course:
    """A class with every standing there is (tests.grader.marked_class). Change only copies of it."""
    course = copy_course(tmp_path_factory.mktemp("marked"))
    hand_in_and_mark(course, launch)
    return course


@pytest.fixture
def marked_copy(marked: Course, tmp_path: Path) -> Course:
    shutil.copytree(marked.root, tmp_path / "course")
    return Course(tmp_path / "course")


@pytest.fixture
def admit_one(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs the command at a course's root: its exit code, and what it said on stdout and stderr."""

    def run(course: Course, *asked: str | Path) -> tuple[int, str, str]:
        monkeypatch.chdir(course.root)
        monkeypatch.setattr(sys, "argv", ["admit-one", *map(str, asked)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run
