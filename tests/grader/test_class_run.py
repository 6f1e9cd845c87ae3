"""A class run and what comes in its way: a lock, a full disk, odd hand-ins: run again it ends as if they were not."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from grader import record
from grader.classroom import grade_class
from grader.course import Course, nbgrader_api
from grader.hand_ins import Submission, find_submissions
from grader.launch import Child, CouldNotLaunch, Furniture, Launch
from grader.release import release_lab
from grader.run_lock import CouldNotRecord, only_run
from tests.grader.small_class import STUDENTS, finish, grade, lab_of, marks, outcome, results, start
from tests.hostile.attacks import LAB1


def test_the_kit_records_what_nbgrader_records(course: Course, undisturbed: dict[str, Any], launch: Launch) -> None:
    """The same bytes and the same rows, by the short way and by nbgrader's own Autograde."""
    grade(course, launch)
    shutil.rmtree(course.autograded)
    Path(course.gradebook).unlink()
    release_lab(course, lab_of(course))
    for student in ("s0", "s1", "s2", "s3"):
        done = nbgrader_api(course).autograde(LAB1, student)
        assert done["success"], done
    theirs = outcome(course)
    assert theirs.pop("marks") == {student: undisturbed["marks"][student] for student in ("s0", "s1", "s2", "s3")}
    assert theirs == {name: data for name, data in undisturbed.items() if name[:2] in ("s0", "s1", "s2", "s3")}


def test_one_worker_and_three_give_the_same_bytes(course: Course, undisturbed: dict[str, Any], launch: Launch) -> None:
    grade(course, launch, workers=3)
    assert outcome(course) == undisturbed


def test_a_half_written_result_or_verdict_does_not_count(
    course: Course, undisturbed: dict[str, Any], launch: Launch
) -> None:
    grade(course, launch)
    for path in [*(course.root / "course" / "results").glob("*.json"), *course.autograded.rglob("verdict.json")][::2]:
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    rows = grade(course, launch)
    assert {row.is_new for row in rows} == {True, False}
    assert outcome(course) == undisturbed


def test_a_new_gradebook_is_filled_again(course: Course, undisturbed: dict[str, Any], launch: Launch) -> None:
    grade(course, launch)
    course.gradebook.unlink()
    release_lab(course, lab_of(course))
    grade(course, launch)
    assert outcome(course) == undisturbed


def test_a_gradebook_that_is_locked_for_a_while_is_waited_for(course: Course, undisturbed: dict[str, Any]) -> None:
    other = sqlite3.connect(course.gradebook, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    run = start(course)
    assert run.stderr is not None
    assert run.stderr.readline() == "another program has the gradebook locked; waiting for it\n"
    other.execute("ROLLBACK")
    other.close()
    run.communicate(timeout=90)
    assert run.returncode == 0
    assert outcome(course) == undisturbed


def test_a_gradebook_that_stays_locked_ends_the_run_and_loses_nothing(
    course: Course, undisturbed: dict[str, Any], launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "_PATIENCE_S", 0.0)
    done: list[int] = []

    def lock_in_the_middle(what: str, number: int, total: int) -> None:
        done.append(number)
        if number == 3:
            other.execute("BEGIN EXCLUSIVE")

    other = sqlite3.connect(course.gradebook, isolation_level=None)
    submissions = find_submissions(course, [LAB1])
    with pytest.raises(CouldNotRecord, match="locked: close it and run again"):
        grade_class(course, submissions, launch, workers=1, progress=lock_in_the_middle)
    other.execute("ROLLBACK")
    other.close()
    assert done == [1, 2, 3]
    assert [row.is_new for row in grade(course, launch)].count(False) == 3
    assert outcome(course) == undisturbed


@pytest.fixture
def small_disk(course: Course) -> Iterator[Path]:
    """course/ on a file system of its own, a small one. Only root may mount; continuous integration is root."""
    folder = course.root / "course"
    aside = folder.rename(folder.with_name("aside"))
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder]).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        shutil.copytree(aside, folder, dirs_exist_ok=True)
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_full_disk_ends_the_run_with_a_remedy_and_loses_nothing(
    course: Course, small_disk: Path, undisturbed: dict[str, Any]
) -> None:
    room = shutil.disk_usage(small_disk).free - 250_000
    (small_disk / "filler").write_bytes(b"x" * room)
    run = start(course)
    _, said = run.communicate(timeout=120)
    assert run.returncode == 1
    assert "free some space and run again" in said
    assert len(said.strip().splitlines()) == 1
    (small_disk / "filler").unlink()
    rows = finish(course)
    assert {row["is_new"] for row in rows} == {True, False}
    assert outcome(course) == undisturbed


def test_what_could_not_be_graded_gets_no_mark_and_a_flag_until_it_can_be(
    course: Course, undisturbed: dict[str, Any], launch: Launch
) -> None:
    def fail(files: Furniture, is_hidden: bool) -> Child:
        raise CouldNotLaunch("no room left")

    rows = grade(course, fail)
    assert {(row.points, row.status, row.first_wrong) for row in rows} == {(None, "could_not_grade", "no room left")}
    with Gradebook(course.db_url) as gradebook:
        grades = [
            (grade.auto_score, grade.needs_manual_grade)
            for one in gradebook.assignment_submissions(LAB1)
            for paper in one.notebooks
            for grade in paper.grades
        ]
    assert set(grades) == {(None, True)}
    verdict = json.loads((course.autograded / "s0" / LAB1 / "verdict.json").read_text(encoding="utf-8"))
    assert (verdict["status"], verdict["points"]) == ("could_not_grade", None)
    top = nbformat.read(course.autograded / "s0" / LAB1 / f"{LAB1}.ipynb", as_version=4).cells[0].source
    assert "Could not be graded" in top
    grade(course, launch)
    assert outcome(course) == undisturbed


def test_one_that_breaks_the_grader_costs_the_others_nothing(
    course: Course, undisturbed: dict[str, Any], launch: Launch
) -> None:
    calls: list[Furniture] = []

    def break_once(files: Furniture, is_hidden: bool) -> Child:
        calls.append(files)
        if len(calls) == 1:
            raise ZeroDivisionError("a bug")
        return launch(files, is_hidden)

    rows = grade(course, break_once, workers=1)
    assert [row.status for row in rows].count("could_not_grade") == 1
    assert "a fault of ours: ZeroDivisionError: a bug" in {row.first_wrong for row in rows}
    grade(course, launch)
    assert outcome(course) == undisturbed


def test_two_runs_at_once_are_refused(course: Course, launch: Launch) -> None:
    with only_run(course):
        with pytest.raises(CouldNotRecord, match="another run"):
            grade(course, launch)
        run = start(course)
        _, said = run.communicate(timeout=90)
    assert (run.returncode, said) == (1, "admit-one: another run is grading this course: let it end, or end it\n")


def test_no_resume_grades_all_anew(course: Course, undisturbed: dict[str, Any], launch: Launch) -> None:
    grade(course, launch)
    before = results(course)
    assert all(row.is_new for row in grade(course, launch, resume=False))
    assert not before.items() & results(course).items()
    assert outcome(course) == undisturbed


def test_a_mark_that_a_person_gave_stays(course: Course, launch: Launch) -> None:
    grade(course, launch)
    with Gradebook(course.db_url) as gradebook:
        grade_row = gradebook.find_grade("check-test", LAB1, LAB1, "s1")
        grade_row.manual_score = 1.5
        gradebook.db.commit()
    grade(course, launch, resume=False)
    assert marks(course)["s1"][:2] == (1.5, True)


def test_a_student_without_a_readable_notebook_was_not_submitted(course: Course, launch: Launch) -> None:
    grade(course, launch)
    (course.submitted / "s0" / LAB1 / f"{LAB1}.ipynb").write_text("no notebook any more")
    (course.submitted / "s99").mkdir()
    (course.submitted / "s[1]" / LAB1).mkdir(parents=True)
    rows = {row.student: row for row in grade(course, launch)}
    assert (rows["s0"].points, rows["s0"].status) == (None, "not_submitted")
    assert rows["s0"].first_wrong.endswith("the mark of what was handed in before stands")
    assert (rows["s99"].points, rows["s99"].status) == (None, "not_submitted")
    assert (rows["s[1]"].points, rows["s[1]"].status) == (None, "could_not_grade")
    run = start(course)
    _, said = run.communicate(timeout=120)
    assert run.returncode == 1
    assert said == (
        "admit-one: 1 has no mark, through no fault of theirs: could not be graded, 0 flagged for manual grading\n"
    )


def test_a_late_hand_in_is_noted_as_nbgrader_notes_it(course: Course, launch: Launch) -> None:
    (course.submitted / "s0" / LAB1 / "timestamp.txt").write_text("2026-02-01 12:00:00 UTC")
    (course.submitted / "s1" / LAB1 / "timestamp.txt").write_text("not long ago")
    grade(course, launch)
    with Gradebook(course.db_url) as gradebook:
        stamps = {one.student.id: one.timestamp for one in gradebook.assignment_submissions(LAB1)}
    assert str(stamps["s0"]) == "2026-02-01 12:00:00"
    assert stamps["s1"] is None


def test_a_late_hand_in_loses_what_the_instructors_plug_in_takes(course: Course, launch: Launch) -> None:
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write('get_config().LateSubmissionPlugin.penalty_method = "zero"\n')
    for student, day in (("s0", 2), ("s3", 1)):
        (course.submitted / student / LAB1 / "timestamp.txt").write_text(f"2026-02-0{day} 12:00:00 UTC")
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment(LAB1, duedate="2026-02-02 11:59:00 UTC")
    grade(course, launch)
    ours = penalties(course)
    assert (ours["s0"], ours["s3"]) == (20, 0)
    done = nbgrader_api(course).autograde(LAB1, "s0")
    assert done["success"], done
    assert penalties(course) == ours


def penalties(course: Course) -> dict[str, float]:
    with Gradebook(course.db_url) as gradebook:
        return {one.student.id: one.late_submission_penalty for one in gradebook.assignment_submissions(LAB1)}


def test_submissions_of_one_lab_are_found_for_every_student(course: Course) -> None:
    (course.submitted / "late_comer").mkdir()
    found = find_submissions(course, [LAB1, "lab4_stamp_card"])
    assert found[-1] != Submission("late_comer", "lab4_stamp_card", found[-1].path)
    assert {one.student for one in found} == {*(f"s{number}" for number in range(STUDENTS)), "late_comer"}


@pytest.mark.parametrize("kind", ["far away", "link", "pipe", "long"])
def test_a_timestamp_that_is_none_costs_nobody_a_mark(
    course: Course, undisturbed: dict[str, Any], launch: Launch, tmp_path: Path, kind: str
) -> None:
    stamp = course.submitted / "s1" / LAB1 / "timestamp.txt"
    if kind == "far away":
        stamp.write_text("10000000000000000000:00")
    elif kind == "link":
        stamp.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(stamp)
    else:
        stamp.write_text("2026-02-01 12:00:00 UTC" + " " * 1_000_000)
    grade(course, launch)
    assert outcome(course) == undisturbed
