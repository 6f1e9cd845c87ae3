"""A mark stands where a verdict or a person gave one; what was not judged has none, and its status says why."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable

import pytest

from grader.course import Course
from grader.marks import Mark, MarksUnreadable, read_marks
from grader.status import NOT_GRADED
from tests.grader.marked_class import FORMULA, mark_by_hand
from tests.hostile.attacks import LAB1, LAB4
from tests.submissions import hand_in
from workshop.lab import all_labs


def marks_of(course: Course, lab_id: str = LAB1) -> dict[str, Mark]:
    return {mark.student: mark for mark in read_marks(course, all_labs(course.root)) if mark.lab_id == lab_id}


def test_each_student_has_the_status_and_the_mark_that_is_theirs(marked: Course) -> None:
    marks = marks_of(marked)
    assert {student: (mark.status, mark.points) for student, mark in marks.items()} == {
        FORMULA: ("graded", 8),
        "ada": ("graded", 18),
        "bo": ("graded", 8.5),
        "cy_crashed": ("crashed", 20),
        "cy_hangs": ("timed_out", 20),
        "cy_tampered": ("tampered", 0),
        "dan": ("could_not_grade", None),
        "eve": ("could_not_grade", 8),
        "fay": ("not_submitted", None),
        "gus": ("not_submitted", None),
        "hal": (NOT_GRADED, None),
    }
    assert {student for student, mark in marks.items() if mark.is_missing} == {"dan", "hal"}
    assert {student for student, mark in marks.items() if mark.needs_a_look} == {
        *("cy_crashed", "cy_tampered", "dan", "hal")
    }
    assert {mark.max_points for mark in marks.values()} == {20}


def test_what_happened_is_the_first_thing_wrong(marked: Course) -> None:
    marks = marks_of(marked)
    assert "time was up" in marks["cy_hangs"].first_wrong
    assert "was changed; the released one was used" in marks["cy_tampered"].first_wrong


def test_a_mark_whose_work_is_gone_is_told(marked_copy: Course) -> None:
    shutil.rmtree(marked_copy.submitted / "ada")
    assert (marks_of(marked_copy)["ada"].points, marks_of(marked_copy)["ada"].needs_a_look) == (
        *(18, "no longer in submitted/"),
    )


def test_a_late_penalty_is_taken_off_and_told(marked: Course) -> None:
    marks = marks_of(marked)
    assert (marks["ada"].points, marks["ada"].late_penalty) == (18, 2)
    assert (marks["bo"].late_penalty, marks["dan"].late_penalty) == (0, None)


def test_a_score_by_hand_counts_and_all_of_them_make_a_mark(marked_copy: Course) -> None:
    marks = marks_of(marked_copy)
    assert {student for student, mark in marks.items() if mark.is_by_hand} == {"bo", "eve"}
    mark_by_hand(marked_copy, "dan", {"check-test": 4.0})
    marks = marks_of(marked_copy)
    assert (marks["dan"].points, marks["dan"].is_missing) == (None, True)  # three cells are still unjudged


def test_a_lab_that_nobody_handed_in_is_left_out(marked_copy: Course) -> None:
    assert {student for student, mark in marks_of(marked_copy, LAB4).items() if mark.points} == {"ada", "bo"}
    for student in ("ada", "bo"):
        shutil.rmtree(marked_copy.submitted / student / LAB4)
    assert marks_of(marked_copy, LAB4)["ada"].points == 20  # the gradebook has them still
    marked_copy.gradebook.unlink()
    with pytest.raises(MarksUnreadable, match="there is no gradebook yet"):
        read_marks(marked_copy, all_labs(marked_copy.root))
    assert not marked_copy.gradebook.exists()


def test_a_mark_whose_verdict_is_gone_or_says_another_thing_is_none(marked_copy: Course) -> None:
    (marked_copy.autograded / "ada" / LAB1 / "verdict.json").unlink()
    path = marked_copy.autograded / "bo" / LAB1 / "verdict.json"
    verdict = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    path.write_text(json.dumps({**verdict, "points": 20}), encoding="utf-8")
    marks = marks_of(marked_copy)
    assert {(marks[student].status, marks[student].points) for student in ("ada", "bo")} == {(NOT_GRADED, None)}


def test_work_that_came_after_its_mark_is_told_and_a_newer_kit_is_not(marked_copy: Course) -> None:
    os.utime(marked_copy.submitted / "ada" / LAB1 / f"{LAB1}.ipynb")  # as a backup that is put back leaves it
    lab_toml = marked_copy.root / "fixtures" / LAB1 / "lab.toml"
    lab_toml.write_text(lab_toml.read_text(encoding="utf-8") + "\n")
    assert not marks_of(marked_copy)["ada"].needs_a_look
    path = marked_copy.submitted / "ada" / LAB1 / f"{LAB1}.ipynb"
    path.write_bytes((marked_copy.submitted / "bo" / LAB1 / f"{LAB1}.ipynb").read_bytes())
    os.utime(path, (0, 0))  # as a zip that keeps times leaves it
    os.utime(marked_copy.autograded / "ada" / LAB1 / "verdict.json")
    assert "handed in again" in marks_of(marked_copy)["ada"].needs_a_look
    hand_in(marked_copy, "ada", LAB1, "no notebook any more")
    assert marks_of(marked_copy)["ada"].points == 18
    path.unlink()
    assert "of what was handed in before; now nothing handed in" in marks_of(marked_copy)["ada"].needs_a_look


@pytest.mark.parametrize("command", ["report", "export", "feedback"])
def test_where_nothing_was_handed_in_each_command_says_so_and_writes_nothing(
    course: Course, admit_one: Callable[..., tuple[int, str, str]], command: str
) -> None:
    shutil.rmtree(course.submitted)
    before = sorted(course.root.rglob("*"))
    told = "admit-one: nothing was handed in there: run admit-one collect and admit-one grade first\n"
    assert admit_one(course, command) == (1, "", told)
    assert sorted(course.root.rglob("*")) == before
