"""Grading one notebook: whose fault it was decides what a missing answer means (spec 4, rule 4)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from grader.course import Course
from grader.drive import drive
from grader.drivers import OurFault, World, driver
from grader.launch import Launch
from grader.made_up import fill, solution_cells
from grader.solved import dump
from grader.submission import Result, grade_submission, read_course_lab
from stub_server.ledger import Ledger
from tests.hostile.attacks import LAB1
from tests.solved import ROOT, solved_notebook
from workshop.lab import Lab

COURSE = Course(ROOT)

# Puts a fault of the kit's own into the child: the driver of the diff says that the machine failed it.
FAULT = """
import grader.drivers, pathlib
from grader.drivers import OurFault

def fail(*args):
    raise OurFault("the machine did not start a process")

grader.drivers._DRIVERS["lab1.diff"] = fail
"""


def released() -> Any:
    return nbformat.read(ROOT / "notebooks" / LAB1 / f"{LAB1}.ipynb", as_version=4)


def graded(notebook: Any, launch: Launch) -> Result:
    return grade_submission(dump(notebook).encode(), COURSE, read_course_lab(COURSE, LAB1), launch)


def test_a_fault_of_ours_that_stays_gives_no_mark(launch: Launch) -> None:
    notebook = fill(released(), solution_cells(solved_notebook(LAB1)))
    notebook.cells.insert(0, new_code_cell(FAULT, id="own"))
    result = graded(notebook, launch)
    assert (result.status, result.points) == ("could_not_grade", None)
    assert "the machine did not start a process" in result.notes[0]


@pytest.mark.parametrize("check_id", ["lab1.nothing", "lab0.counting", "no check at all"])
def test_a_check_without_a_driver_is_our_fault(check_id: str) -> None:
    reply = drive(check_id, [], {}, World(Ledger(), Lab.find("lab1")), tell_message=True)
    assert reply.kind == "our_fault"


def test_what_a_driver_calls_our_fault_is_not_told_as_the_students() -> None:
    with registered("lab1.fault"):
        reply = drive("lab1.fault", [], {}, World(Ledger(), Lab.find("lab1")), tell_message=False)
    assert (reply.kind, reply.text) == ("our_fault", "OurFault: no process")


def test_a_student_may_change_the_folder(launch: Launch) -> None:
    notebook = fill(released(), solution_cells(solved_notebook(LAB1)))
    notebook.cells.insert(4, new_code_cell("import os, tempfile\nos.chdir(tempfile.gettempdir())", id="own"))
    assert graded(notebook, launch).points == 20


@contextmanager
def registered(check_id: str) -> Iterator[None]:
    """A driver that fails by our fault, for as long as the test runs."""
    from grader import drivers

    @driver(check_id)
    def fail(world: World, case: Any) -> None:
        raise OurFault("no process")

    try:
        yield
    finally:
        del drivers._DRIVERS[check_id]


def test_the_rooms_of_a_run_are_gone_after_it(launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    graded(released(), launch)
    assert list(tmp_path.iterdir()) == []
