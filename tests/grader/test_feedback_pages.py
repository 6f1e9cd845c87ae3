"""`admit-one feedback`: a page for who was graded, none for who was not, and each that is missing is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest

from grader.course import Course
from grader.feedback_pages import write_pages
from grader.marks import read_marks
from tests.grader.marked_class import FORMULA, mark_by_hand
from tests.hostile.attacks import LAB1, LAB4
from workshop.lab import all_labs

Run = Callable[..., tuple[int, str, str]]
GRADED = {FORMULA, "ada", "bo", "cy_crashed", "cy_hangs", "cy_tampered", "eve"}
"""eve's grading failed, and a person marked it."""


@pytest.fixture
def run(admit_one: Run, marked_copy: Course) -> Run:
    """admit-one feedback at the root of a copy of the marked class."""
    return partial(admit_one, marked_copy, "feedback")


def pages(course: Course, lab_id: str = LAB1) -> set[str]:
    return {path.parent.parent.name for path in course.feedback.glob(f"*/{lab_id}/{lab_id}.html")}


def test_each_who_was_graded_has_a_page_and_who_was_not_is_told(run: Run, marked_copy: Course) -> None:
    code, said, complaint = run()
    assert pages(marked_copy) == GRADED
    assert pages(marked_copy, LAB4) == {"ada", "bo"}
    assert said.splitlines() == [
        f"no page for dan, {LAB1}: could_not_grade, no room left",
        f"no page for hal, {LAB1}: not_graded, handed in, and not graded yet",
        f"9 feedback pages, 0 in the place of older ones: {marked_copy.feedback}",
    ]
    assert (code, complaint) == (1, "admit-one: 2 of 11 submissions have no page\n")
    page = (marked_copy.feedback / "bo" / LAB1 / f"{LAB1}.html").read_text(encoding="utf-8")
    assert "Score: 8.5 / 20.0" in page


def test_who_was_marked_by_hand_is_told_so_and_a_mark_in_part_is_none(run: Run, marked_copy: Course) -> None:
    mark_by_hand(marked_copy, "dan", {"check-test": 4.0})
    run("1")
    page = (marked_copy.feedback / "eve" / LAB1 / f"{LAB1}.html").read_text(encoding="utf-8")
    assert "Score: 8.0 / 20.0" in page
    assert "A person has marked it" in page
    assert "A person will look" not in page
    assert "dan" not in pages(marked_copy)


def test_pages_of_one_lab_are_written_anew_with_what_a_person_changed(run: Run, marked_copy: Course) -> None:
    run("1")
    mark_by_hand(marked_copy, "bo", {"check-test": 1.0})
    code, said, _ = run("1", "--json")
    told = {page["student"]: page for page in json.loads(said)}
    assert told["bo"]["is_replaced"] is True
    assert told["dan"]["trouble"] == "could_not_grade, no room left"
    assert "Score: 6.0 / 20.0" in (marked_copy.feedback / "bo" / LAB1 / f"{LAB1}.html").read_text(encoding="utf-8")
    assert pages(marked_copy, LAB4) == set()
    assert code == 1


def test_all_well_ends_with_0(run: Run, marked_copy: Course) -> None:
    assert run("4")[::2] == (0, "")


def test_progress_counts_pages_and_an_instructors_own_hook_is_called(marked_copy: Course) -> None:
    config = marked_copy.root / "nbgrader_config.py"
    with config.open("a", encoding="utf-8") as file:
        file.write(
            "\nimport pathlib\n"
            "get_config().GenerateFeedback.post_convert_hook = lambda **names: pathlib.Path('called').touch()\n"
        )
    seen: list[tuple[str, int, int]] = []
    write_pages(marked_copy, read_marks(marked_copy, all_labs(marked_copy.root)), lambda *what: seen.append(what))
    assert seen == [("Writing feedback", done, 9) for done in range(10)]
    assert (marked_copy.root / "called").exists()
