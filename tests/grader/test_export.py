"""`admit-one export`: every mark with its status, never 0 for what was not judged, loud where a mark is missing."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from grader.course import Course
from tests.grader.lms_importers import Canvas, moodle_changes
from tests.grader.marked_class import FORMULA
from tests.hostile.attacks import LAB1, LAB4

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(admit_one: Run, marked: Course) -> Run:
    """admit-one export at the root of the marked class."""
    return partial(admit_one, marked, "export")


def rows_of(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    text = path.read_bytes().decode("utf-8-sig")
    return {(row["student"], row["lab"]): row for row in csv.DictReader(io.StringIO(text, newline=""))}


def test_what_was_not_judged_is_empty_and_says_why_and_the_command_is_loud(run: Run, tmp_path: Path) -> None:
    code, said, complaint = run("1", "-o", tmp_path / "marks.csv")
    rows = rows_of(tmp_path / "marks.csv")
    empty = {student: row["status"] for (student, _), row in rows.items() if not row["points"]}
    assert empty == {
        "dan": "could_not_grade",
        "fay": "not_submitted",
        "gus": "not_submitted",
        "hal": "not_graded",
    }
    assert rows["dan", LAB1]["first_thing_wrong"] == "no room left"
    assert rows["cy_tampered", LAB1]["points"] == "0"  # which was judged
    assert code == 1
    assert "dan in lab1" in said
    assert complaint == (
        "admit-one: 2 handed in and have no mark, through no fault of theirs; all others are written\n"
    )


def test_a_row_tells_all_there_is_to_a_mark(run: Run, tmp_path: Path) -> None:
    run("-o", tmp_path / "marks.csv")
    rows = rows_of(tmp_path / "marks.csv")
    assert rows["ada", LAB1] == {
        "student": "ada",
        "lab": LAB1,
        "points": "18",
        "max_points": "20",
        "status": "graded",
        "first_thing_wrong": "",
        "late_penalty": "2",
        "marked_by_hand": "",
        "needs_a_look": "",
    }
    assert (rows["bo", LAB1]["points"], rows["bo", LAB1]["marked_by_hand"]) == ("8.5", "yes")
    assert rows["bo", LAB1]["first_thing_wrong"] == "Every call is admitted"
    assert rows["cy_crashed", LAB1]["needs_a_look"] == "the notebook's process died; what finished counts"
    assert (rows["eve", LAB1]["points"], rows["eve", LAB1]["status"]) == ("8", "could_not_grade")
    assert len(rows) == 2 * 11
    assert rows["fay", LAB4]["status"] == "not_submitted"


def test_a_students_name_and_exception_run_nothing_in_a_spreadsheet(run: Run, tmp_path: Path) -> None:
    run("1", "-o", tmp_path / "marks.csv")
    data = (tmp_path / "marks.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")  # Excel takes it for UTF-8
    row = rows_of(tmp_path / "marks.csv")[f"'{FORMULA}", LAB1]
    assert "raised =cmd;'=1+1" in row["first_thing_wrong"]
    for delimiter in (",", ";"):
        for cells in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter):
            assert not [cell for cell in cells if cell.lstrip(' "').startswith(("=", "+", "-", "@"))]


def test_a_file_that_is_there_is_not_replaced_in_silence(run: Run, marked: Course, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    assert f"wrote {path}" in run("-o", path)[1]
    assert f"replaced {path}" in run("-o", path)[1]
    assert [one.name for one in tmp_path.iterdir()] == ["marks.csv"]


def test_without_a_name_the_file_is_in_the_courses_folder(run: Run, marked: Course) -> None:
    path = marked.root / "course" / "marks.csv"
    assert f"wrote {path}" in run("4")[1]
    assert {lab for _, lab in rows_of(path)} == {LAB4}
    path.unlink()


def test_all_well_ends_with_0(run: Run, tmp_path: Path) -> None:
    assert run("4", "-o", tmp_path / "marks.csv")[::2] == (0, "")


def test_a_script_reads_json(run: Run, tmp_path: Path) -> None:
    code, said, _ = run("--json", "-o", tmp_path / "marks.csv")
    told = json.loads(said)
    assert told["files"] == [str(tmp_path / "marks.csv")]
    assert {mark["student"]: mark["points"] for mark in told["marks"] if mark["lab_id"] == LAB1}["dan"] is None
    assert code == 1


@pytest.mark.parametrize(
    ("asked", "code", "told"),
    [
        (["9"], 2, "no lab '9'"),
        (["--format", "xml"], 2, "no format 'xml'; there are csv, canvas, moodle"),
        (["--roster", "nbgrader_config.py"], 2, "--roster is for canvas and moodle"),
        (["--format", "moodle", "--roster", "nbgrader_config.py"], 1, "has no column Username or ID number or"),
        (["-o", "no/such/folder/marks.csv"], 1, "cannot be written: No such file or directory"),
    ],
)
def test_what_cannot_be_is_one_line(run: Run, asked: list[str], code: int, told: str) -> None:
    ended, said, complaint = run(*asked)
    assert (ended, said) == (code, "")
    assert complaint.startswith("admit-one: ")
    assert complaint.count("\n") == 1
    assert told in complaint


def test_canvas_imports_the_class_and_its_statuses_lie_beside_it(run: Run, tmp_path: Path) -> None:
    people = [("1", "", "ada", "L, Ada"), ("2", "", "bo", "B, Bo"), ("3", "", "dan", "D, Dan"), ("9", "", "z", "Z")]
    canvas = Canvas(people, {"71": "Lab 1", "74": "Lab 4"}, {("3", "71"): "5.00"})
    (tmp_path / "roster.csv").write_text(canvas.export(), encoding="utf-8")
    code, said, complaint = run("--format", "canvas", "--roster", tmp_path / "roster.csv", "-o", tmp_path / "in.csv")
    changes, unknown, new = canvas.changes((tmp_path / "in.csv").read_bytes())
    assert changes == {("1", "71"): "18", ("1", "74"): "20", ("2", "71"): "8.5", ("2", "74"): "20"}
    assert (unknown, new) == ([], [])
    assert rows_of(tmp_path / "in_status.csv")["dan", LAB1]["status"] == "could_not_grade"
    assert f"eve is not in the roster, and has no line: 8 of 20 in {LAB1}" in said
    assert "Z is in the roster, and not in this course" in said
    assert code == 1
    assert "and 5 marks found no line" in complaint


def test_the_roster_is_not_written_over(run: Run, tmp_path: Path) -> None:
    roster = tmp_path / "in_status.csv"
    roster.write_text(Canvas([("1", "", "ada", "L")], {"71": "Lab 1"}).export(), encoding="utf-8")
    before = roster.read_bytes()
    code, _, complaint = run("--format", "canvas", "--roster", roster, "-o", tmp_path / "in.csv")
    assert (code, roster.read_bytes()) == (2, before)
    assert "write over the roster" in complaint


def test_moodle_imports_the_class(run: Run, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text(
        "First name,Last name,ID number,Email address,Assignment: Lab 1 (Real)\n"
        "Ada,L,,ada@uni.example,-\nBo,B,,bo@uni.example,3.00\nDan,D,,dan@uni.example,4.00\n",
        encoding="utf-8",
    )
    _, said, _ = run("1", "--format", "moodle", "--roster", tmp_path / "roster.csv", "-o", tmp_path / "in.csv")
    users = {f"{name}@uni.example" for name in ("ada", "bo", "dan")}
    items = {"Assignment: Lab 1 (Real)": "one"}
    changes = moodle_changes((tmp_path / "in.csv").read_bytes(), users, "Email address", items)
    assert changes == {("ada@uni.example", "one"): "18", ("bo@uni.example", "one"): "8.5"}
    assert "Grades > Import > CSV file" in said


def test_what_went_wrong_comes_before_what_to_do_next(marked: Course, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text(Canvas([("1", "", "ada", "L, Ada")], {"71": "Lab 1"}).export(), encoding="utf-8")
    asked = ["--format", "canvas", "--roster", str(roster), "-o", str(tmp_path / "in.csv")]
    command = [sys.executable, "-m", "grader.cli", "export", "1", *asked]
    done = subprocess.run(command, cwd=marked.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    *_, complaint, last = done.stdout.decode().splitlines()
    assert (done.returncode, "marks found no line" in complaint, last.startswith("Now import it")) == (1, True, True)
