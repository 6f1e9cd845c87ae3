"""The whole way through nbgrader: marks, statuses, feedback, nothing hidden told, and plain nbgrader agrees."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from grader.classroom import grade_class
from grader.hand_ins import find_submissions
from grader.launch import Launch
from grader.notebook import NotANotebook
from grader.submission import read_submission
from tests.grader.graded_class import GradedClass
from tests.grader.planted_course import MARKER
from tests.hostile.attacks import LAB1, LAB4
from workshop.lab import Lab

LABS = (LAB1, LAB4)


def score(graded: GradedClass, student: str, lab_id: str) -> Any:
    with Gradebook(graded.course.db_url) as gradebook:
        return gradebook.find_submission(lab_id, student).score


@pytest.mark.parametrize("lab_id", LABS)
def test_the_reference_solution_gets_full_marks(graded_class: GradedClass, lab_id: str) -> None:
    row = graded_class.rows["solved", lab_id]
    assert (row.points, row.status, row.first_wrong) == (20, "graded", "")
    assert score(graded_class, "solved", lab_id) == 20


@pytest.mark.parametrize("lab_id", LABS)
def test_the_untouched_lab_gets_nothing(graded_class: GradedClass, lab_id: str) -> None:
    row = graded_class.rows["untouched", lab_id]
    assert (row.points, row.status) == (0, "graded")
    assert "not filled in yet" in row.first_wrong
    assert score(graded_class, "untouched", lab_id) == 0


@pytest.mark.parametrize("lab_id", LABS)
def test_code_that_prints_warns_and_logs_loses_nothing(graded_class: GradedClass, lab_id: str) -> None:
    assert graded_class.rows["noisy", lab_id].points == 20


def test_what_is_no_notebook_was_not_submitted_and_gets_no_mark(graded_class: GradedClass) -> None:
    row = graded_class.rows["no_notebook", LAB1]
    assert (row.points, row.status) == (None, "not_submitted")


def test_nothing_hidden_is_told_to_students(graded_class: GradedClass) -> None:
    """Not in what is released, not in the graded notebook, not in feedback, not in verdict.json or the kept results."""
    course = graded_class.course
    folders = [course.root / "notebooks", course.root / course.work]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 40
    told = [path for path in files if path != course.gradebook and MARKER.encode() in path.read_bytes()]
    assert told == []
    assert not [path for path in files if path.name in ("hidden_cases.json", "design.md")]


def test_the_stash_was_real(graded_class: GradedClass) -> None:
    """The leak test above means something: the attack does see and print inputs, of public cases."""
    path = graded_class.course.autograded / "stash" / LAB1 / f"{LAB1}.ipynb"
    assert '\\"check\\": \\"lab1.counting\\"' in path.read_text(encoding="utf-8").replace("\\\\", "\\")


def test_the_graded_notebook_carries_status_and_verdicts(graded_class: GradedClass) -> None:
    path = graded_class.course.autograded / "untouched" / LAB1 / f"{LAB1}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert notebook.metadata["admit_one"]["status"] == "graded"
    texts = [
        output.data["text/plain"]
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade")
        for output in cell.outputs
    ]
    assert len(texts) == len([cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")])
    assert all("0 of" in text for text in texts)


def test_verdict_json_holds_points_by_group(graded_class: GradedClass) -> None:
    path = graded_class.course.autograded / "solved" / LAB4 / "verdict.json"
    verdict = json.loads(path.read_text(encoding="utf-8"))
    groups = [group for check in verdict["checks"].values() for group in check["groups"]]
    assert sum(group["points"] for group in groups) == verdict["points"] == 20
    assert all(group["right"] == group["cases"] > 1 for group in groups)


@pytest.mark.parametrize("lab_id", LABS)
def test_a_feedback_page_shows_the_verdict_and_no_output_of_the_students_code(
    graded_class: GradedClass, lab_id: str
) -> None:
    page = (graded_class.course.feedback / "noisy" / lab_id / f"{lab_id}.html").read_text(encoding="utf-8")
    for check in Lab.find(lab_id).checks:
        assert f"{escape(check.title, quote=False)}: {check.points} of {check.points} points" in page
    assert "to stderr\n" not in page.replace('"to stderr"', "")
    assert "a log line" in page  # in the source, which is the student's own
    assert "WARNING:root" not in page


def test_grading_again_is_a_no_op_and_says_so(graded_class: GradedClass, launch: Launch) -> None:
    course = graded_class.course
    again = grade_class(course, find_submissions(course, [LAB4]), launch, workers=1)
    assert {row.status: row.is_new for row in again} == {"graded": False, "not_submitted": False}


def test_plain_nbgrader_gives_the_same_marks(graded_class: GradedClass) -> None:
    """Computed anew, not read back: the kept results are out of the way."""
    course = graded_class.course
    results = course.root / course.work / "results"
    aside = results.rename(results.with_name("results_of_admit_one"))
    done = graded_class.run("nbgrader", "autograde", LAB4, "--force")
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(list(results.glob("*.json"))) == 3
    for kept in results.glob("*.json"):
        assert kept.read_bytes() == (aside / kept.name).read_bytes()
    for student in ("solved", "untouched", "noisy"):
        assert score(graded_class, student, LAB4) == graded_class.rows[student, LAB4].points


def test_admit_one_grade_at_the_course_says_what_is_graded(graded_class: GradedClass) -> None:
    done = graded_class.run("admit-one", "grade", "4", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["student"]: row for row in json.loads(done.stdout)}
    assert rows["solved"]["points"] == 20
    assert rows["untouched"]["status"] == "graded"


def test_a_link_to_the_solution_is_taken_away_not_followed(graded_class: GradedClass) -> None:
    course = graded_class.course
    folder = course.submitted / "linker" / LAB1
    folder.mkdir(parents=True)
    target = course.root / "solutions" / LAB1 / f"{LAB1}.ipynb"
    (folder / f"{LAB1}.ipynb").symlink_to(target)
    with pytest.raises(NotANotebook, match="link"):
        read_submission(folder / f"{LAB1}.ipynb")
    graded_class.run("nbgrader", "autograde", LAB1, "--student", "linker")
    assert not (course.autograded / "linker" / LAB1 / f"{LAB1}.ipynb").exists()
    assert target.is_file()
