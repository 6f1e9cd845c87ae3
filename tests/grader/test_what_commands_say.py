"""What commands say fits a terminal of 80 columns and a log: a line for each student, and what begins, and no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.course import Course
from tests.hostile.attacks import LAB1

Run = Callable[..., tuple[int, str, str]]
DATA = f"notebooks/{LAB1}/data/lab-fanout-01.json"


def test_a_class_is_a_line_for_each_student(
    marked_copy: Course, admit_one: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, said, complaint = admit_one(marked_copy, "grade", "1")
    head, *rows, summary = said.splitlines()
    assert head.split() == ["Student", "Lab", "Points", "Status", "First", "thing", "wrong"]
    assert [row.split()[1] for row in rows] == ["lab1"] * 10
    assert {len(row) for row in rows} == {80}
    assert any(row.rstrip().endswith("…") for row in rows)
    assert summary == "3 graded now, 6 were graded already, 1 not submitted."
    assert (code, complaint) == (0, "")


@pytest.mark.parametrize("command", ["release", "check", "rehearse"])
def test_a_students_copy_is_told_as_that(course: Course, admit_one: Run, command: str) -> None:
    (course.root / "solutions").rename(course.root / "kept back")
    words = "admit-one: this copy has no solutions/: it is a student's; open a lab with admit-one lab 1\n"
    assert admit_one(course, command) == (2, "", words)


def test_a_release_says_which_files_changed_and_that_the_gradebook_knows_the_lab(
    course: Course, admit_one: Run
) -> None:
    told = "No file had to change. 1 lab is registered in the gradebook.\n"
    assert admit_one(course, "release", "1") == (0, told, "Releasing ...\n")
    (course.root / DATA).unlink()
    told = f"wrote {DATA}\n1 lab is registered in the gradebook.\n"
    assert admit_one(course, "release", "1") == (0, told, "Releasing ...\n")
