"""Grading one notebook: whose fault it was decides what a missing answer means (spec 4, rule 4)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from grader.asker import Asker
from grader.bounds import Bounds
from grader.course import Course
from grader.drive import drive
from grader.drivers import OurFault, World, driver
from grader.exam import read_exam
from grader.grading import FAILED_TWICE, _greet
from grader.launch import Child, CouldNotLaunch, Furniture, Launch
from grader.made_up import fill, solution_cells
from grader.results import Result
from grader.room import room_files
from grader.solved import dump
from grader.submission import grade_once
from stub_server.ledger import Ledger
from tests.hostile.attacks import LAB1
from tests.solved import ROOT, solved_notebook
from workshop.lab import Lab

COURSE = Course(ROOT)

# Student code says that the machine failed a case: once, or every time it is asked.
SAYS_OUR_FAULT = """
from grader.drivers import OurFault

def diff(a, b):
    raise OurFault(f"HIDDEN-WORDS {a} {b}")
"""


def released() -> Any:
    return nbformat.read(ROOT / "notebooks" / LAB1 / f"{LAB1}.ipynb", as_version=4)


def graded(notebook: Any, launch: Launch) -> Result:
    return grade_once(dump(notebook).encode(), read_exam(COURSE, LAB1), launch)


def test_student_code_that_says_our_fault_gets_no_way_out_of_a_mark(launch: Launch) -> None:
    """Asked again once, then unanswered: the other checks keep their marks, and none of its words are passed on."""
    notebook = fill(released(), {**solution_cells(solved_notebook(LAB1)), "diff": SAYS_OUR_FAULT})
    result = graded(notebook, launch)
    assert (result.status, result.points) == ("crashed", 18)
    assert result.notes == (f"lab1.diff: {FAILED_TWICE}",)
    assert "HIDDEN-WORDS" not in result.to_json().replace(SAYS_OUR_FAULT, "")


@pytest.mark.parametrize("answer", ["[0] * 40_000", "'x' * 300_000"])
def test_an_answer_that_is_far_too_long_is_wrong_and_no_tampering(launch: Launch, answer: str) -> None:
    long = f"def diff(a, b):\n    return {answer}"
    result = graded(fill(released(), {**solution_cells(solved_notebook(LAB1)), "diff": long}), launch)
    assert (result.status, result.points) == ("graded", 18)
    assert "far longer than any right one" in result.to_json()


def test_a_cell_that_stopped_is_told_by_what_it_stopped_with(launch: Launch) -> None:
    broken = "def diff(a, b)\n    return []"
    result = graded(fill(released(), {**solution_cells(solved_notebook(LAB1)), "diff": broken}), launch)
    first = next(group for report in result.reports.values() for group in report.groups if group.right < group.cases)
    assert (result.status, result.points) == ("graded", 18)
    assert "diff is not defined: its cell stopped: SyntaxError: expected ':' (line 1)" in str(first)


def test_a_notebook_has_its_unshared_time_once_however_often_its_process_dies(launch: Launch) -> None:
    seen: list[list[float]] = []

    def launch_and_note(files: Furniture, is_hidden: bool) -> Child:
        child = launch(files, is_hidden)
        seen.append([])

        def excess(bounds: Bounds) -> str:
            seen[-1].append(bounds.unshared_s)
            return child.excess(bounds)

        return replace(child, excess=excess)

    notebook = released()
    for number in range(2):
        dies = new_code_cell("import os, time\ntime.sleep(0.3)\nos._exit(1)", id=f"dies-{number}")
        notebook.cells.insert(1, dies)
    graded(notebook, launch_and_note)
    left = [one[0] for one in seen if one]
    assert left[0] - left[1] > 0.3
    assert left == sorted(left, reverse=True)


def test_a_driver_that_is_missing_is_found_before_student_code_runs(launch: Launch) -> None:
    asker = Asker(launch(room_files(Lab.find("lab1")), False), Bounds())
    try:
        with pytest.raises(CouldNotLaunch, match=r"lab1\.nothing"):
            _greet(asker, Bounds(), ["lab1.diff", "lab1.nothing"])
    finally:
        asker.close()


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


def test_a_name_from_a_cell_that_only_shows_is_there_when_graded(launch: Launch) -> None:
    """In the notebook it works: it must not cost a mark that such cells are skipped."""
    notebook = fill(released(), solution_cells(solved_notebook(LAB1)))
    show = next(cell for cell in notebook.cells if "show" in cell.metadata.get("tags", ()))
    show.source += "\nPLACES = range"
    diff = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "diff")
    assert "range(" in diff.source
    diff.source = diff.source.replace("range(", "PLACES(")
    result = graded(notebook, launch)
    assert (result.status, result.points) == ("graded", 20)
