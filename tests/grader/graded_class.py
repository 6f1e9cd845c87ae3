"""A class that does both labs of a planted course, solved, untouched, noisy, with a stash; and how it is graded."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from grader.classroom import Row, grade_class
from grader.course import Course, nbgrader_api
from grader.hand_ins import find_submissions
from grader.launch import Launch
from grader.made_up import fill, solution_cells
from grader.release import release_lab
from grader.solved import read_solved
from tests.hostile.attacks import LAB1, LAB4, STASH, STASH_SHOWN_LATER
from tests.solved import ROOT
from tests.submissions import hand_in
from workshop.lab import all_labs

NOISE = """
import logging, sys, warnings

logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
logging.warning("a log line")
warnings.warn("a warning")
print("printed", flush=True)
print("to stderr", file=sys.stderr)
sys.settrace(None)
"""


@dataclass(frozen=True)
class GradedClass:
    """The course, its rows by (student, lab), and a way to run a program there."""

    course: Course
    rows: dict[tuple[str, str], Row]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of this environment at the course's root."""
        program = Path(sys.executable).parent / command[0]
        return subprocess.run(
            [str(program), *command[1:]], cwd=self.course.root, capture_output=True, text=True, timeout=240
        )


def hand_in_and_grade(course: Course, launch: Launch) -> GradedClass:
    """Labs 1 and 4 released, handed in, graded, with feedback pages written."""
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
    submissions = find_submissions(course, [LAB1, LAB4])
    rows = grade_class(course, submissions, launch, workers=2)
    for lab_id in (LAB1, LAB4):
        nbgrader_api(course).generate_feedback(lab_id)
    return GradedClass(course, {(row.student, row.lab_id): row for row in rows})
