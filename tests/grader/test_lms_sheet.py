"""What is written for an LMS: read back as its importer does, it gives each student their mark and touches no other."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from grader.csv_safe import as_csv
from grader.export import Sheet
from grader.lms import CANVAS, MOODLE
from grader.lms_sheet import lms_sheet
from grader.marks import Mark
from grader.roster import read_roster, roster_of
from grader.status import NOT_GRADED
from tests.grader.lms_importers import Canvas, MoodleStops, moodle_changes
from tests.solved import ROOT
from workshop.lab import all_labs

LAB_1, LAB_2, *_ = all_labs(ROOT)


def mark(student: str, points: float | None, lab_id: str = LAB_1.id, **more: Any) -> Mark:
    status = "not_submitted" if points is None else "graded"
    plain = Mark(student, lab_id, points, 20, status, "", None if points is None else 0.0, False, "")
    return replace(plain, **more)


def data_of(sheet: Sheet) -> bytes:
    return as_csv(sheet.header, sheet.rows).encode(sheet.encoding)


@pytest.fixture
def canvas() -> Canvas:
    people = [
        ("101", "s101", "ann", "Alt, Ann"),
        ("102", "s102", "bo@uni.example", "Bär, Bo"),
        ("103", "s103", "zz103", "de la Cruz, Cy"),
        ("104", "s104", "dan", "Dann, Dan"),
    ]
    return Canvas(people, {"991": "Lab 1: Fan-out", "992": "Second lab (Lab 2)"})


def canvas_roster(course: Canvas, tmp_path: Path) -> Path:
    path = tmp_path / "canvas.csv"
    path.write_text(course.export(), encoding="utf-8")
    return path


def test_canvas_finds_each_student_by_login_address_or_name(canvas: Canvas, tmp_path: Path) -> None:
    marks = [mark("ann", 18), mark("bo", 7.5), mark("delacruzcy_LATE", 0)]
    sheet = lms_sheet(CANVAS, marks, [LAB_1], read_roster(canvas_roster(canvas, tmp_path), CANVAS))
    expected = {("101", "991"): "18", ("102", "991"): "7.5", ("103", "991"): "0"}
    assert canvas.changes(data_of(sheet)) == (expected, [], [])
    assert sheet.notes == ["Dann, Dan is in the roster, and not in this course"]


def test_an_import_into_canvas_clears_and_excuses_nobody(canvas: Canvas, tmp_path: Path) -> None:
    canvas.grades = {
        ("101", "991"): "EX",
        ("102", "992"): "11.00",
        ("103", "991"): "12.50",
        ("103", "992"): "N/A",
        ("104", "991"): "3.00",
    }
    marks = [mark("ann", 18), mark("bo", 7.5), mark("zz103", None), mark("dan", None, status="could_not_grade")]
    marks += [mark("ann", 5, LAB_2.id), mark("bo", None, LAB_2.id), mark("zz103", 9, LAB_2.id)]
    marks += [mark("dan", None, LAB_2.id)]
    sheet = lms_sheet(CANVAS, marks, [LAB_1, LAB_2], read_roster(canvas_roster(canvas, tmp_path), CANVAS))
    changes, _, _ = canvas.changes(data_of(sheet))
    assert changes == {("101", "992"): "5", ("102", "991"): "7.5"}
    assert f"ann is excused from {LAB_1.id} in Canvas, and stays so" in sheet.notes
    assert f"zz103 is not assigned {LAB_2.id} in Canvas, and stays so" in sheet.notes
    assert "1 without any mark have no line" in sheet.notes


def test_canvas_gets_no_column_but_the_labs(canvas: Canvas, tmp_path: Path) -> None:
    """Each column after Section is an assignment to Canvas: a status there would become one."""
    roster = read_roster(canvas_roster(canvas, tmp_path), CANVAS)
    sheet = lms_sheet(CANVAS, [mark("ann", 18)], [LAB_1], roster)
    assert sheet.header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lab 1: Fan-out (991)"]
    assert sheet.rows[0] == ["    Points Possible", "", "", "", "", 20]


def test_without_a_roster_canvas_finds_logins_and_asks_about_the_rest(canvas: Canvas) -> None:
    canvas.assignments["993"] = f"Lab 1: {LAB_1.title}"
    sheet = lms_sheet(CANVAS, [mark("ann", 18), mark("zz103", 4), mark("eve", 2)], [LAB_1], None)
    assert canvas.changes(data_of(sheet)) == ({("101", "993"): "18", ("103", "993"): "4"}, ["eve"], [])
    assert sheet.notes[0].startswith("without --roster: ")


def test_a_lab_that_the_roster_does_not_have_is_told(canvas: Canvas, tmp_path: Path) -> None:
    del canvas.assignments["992"]
    marks = [mark("ann", 18), mark("ann", None, LAB_2.id)]
    sheet = lms_sheet(CANVAS, marks, [LAB_1, LAB_2], read_roster(canvas_roster(canvas, tmp_path), CANVAS))
    assert canvas.changes(data_of(sheet))[2] == [f"Lab 2: {LAB_2.title}"]
    assert any(note.startswith("the roster has no column for lab2") for note in sheet.notes)
    assert any(note.startswith("1 empty cells stand beside another lab's mark") for note in sheet.notes)


def test_who_is_not_in_the_roster_is_told_with_the_mark(canvas: Canvas, tmp_path: Path) -> None:
    sheet = lms_sheet(
        CANVAS, [mark("ann", 18), mark("eve", 2)], [LAB_1], read_roster(canvas_roster(canvas, tmp_path), CANVAS)
    )
    assert f"eve is not in the roster, and has no line: 2 of 20 in {LAB_1.id}" in sheet.notes
    assert [left.student for left in sheet.left_out] == ["eve"]


def test_two_students_who_are_one_in_the_roster_get_no_line(canvas: Canvas, tmp_path: Path) -> None:
    marks = [mark("ann", 18), mark("alt ann", 3), mark("bo", 5)]
    sheet = lms_sheet(CANVAS, marks, [LAB_1], read_roster(canvas_roster(canvas, tmp_path), CANVAS))
    assert canvas.changes(data_of(sheet))[0] == {("102", "991"): "5"}
    assert {left.student for left in sheet.left_out} == {"ann", "alt ann"}


def test_points_out_of_another_sum_are_told(canvas: Canvas, tmp_path: Path) -> None:
    path = canvas_roster(canvas, tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("20.00", "100,00"), encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8").replace("100,00", '"100,00"'), encoding="utf-8")
    sheet = lms_sheet(CANVAS, [mark("ann", 18)], [LAB_1], read_roster(path, CANVAS))
    assert sheet.notes[0] == "Canvas has “Lab 1: Fan-out (991)” out of 100, and these marks are out of 20"


MOODLE_EXPORT = """\
"First name",Surname,"ID number",Institution,Department,"Email address","Assignment: Lab 1 (Real)","Assignment: Lab 1 \
(Feedback)","Quiz: Lab 2 (Real)","Quiz: Lab 2 (Percentage)","Course total (Real)","Last downloaded from this course"
Ann,Alt,,,,ann@uni.example,-,,-,-,-,1772000000
Bo,Bär,77,,,bo@uni.example,"11,50",well done,-,-,-,1772000000
Cy,Dann,78,,,cy@uni.example,-,,13.00,65.00 %,-,1772000000
"""
MOODLE_USERS = {"ann@uni.example", "bo@uni.example", "cy@uni.example"}
MOODLE_ITEMS = {"Assignment: Lab 1 (Real)": "one", "Quiz: Lab 2 (Real)": "two"}


@pytest.fixture
def moodle_export(tmp_path: Path) -> Path:
    path = tmp_path / "moodle.csv"
    path.write_text(MOODLE_EXPORT, encoding="utf-8-sig")
    return path


def test_moodle_gets_marks_and_clears_none(moodle_export: Path) -> None:
    marks = [mark("ann", 18), mark("Bo Bär_4711", None), mark("cy", 7.5)]
    marks += [mark("ann", None, LAB_2.id), mark("Bo Bär_4711", 20, LAB_2.id), mark("cy", None, LAB_2.id)]
    sheet = lms_sheet(MOODLE, marks, [LAB_1, LAB_2], read_roster(moodle_export, MOODLE))
    assert moodle_changes(data_of(sheet), MOODLE_USERS, "Email address", MOODLE_ITEMS) == {
        ("ann@uni.example", "one"): "18",
        ("ann@uni.example", "two"): None,  # which it had not either
        ("bo@uni.example", "one"): "11.5",
        ("bo@uni.example", "two"): "20",
        ("cy@uni.example", "one"): "7.5",
        ("cy@uni.example", "two"): "13",
    }
    assert sheet.notes == []


def test_a_stranger_would_stop_moodles_whole_import_and_has_no_line(moodle_export: Path) -> None:
    marks = [mark("ann", 18), mark("eve", 3)]
    sheet = lms_sheet(MOODLE, marks, [LAB_1], read_roster(moodle_export, MOODLE))
    assert sheet.left_out == [marks[1]]
    item = {"Assignment: Lab 1 (Real)": "one"}
    assert moodle_changes(data_of(sheet), MOODLE_USERS, "Email address", item) == {("ann@uni.example", "one"): "18"}
    with pytest.raises(MoodleStops, match="usermappingerror: eve"):
        moodle_changes(
            data_of(lms_sheet(MOODLE, marks, [LAB_1], None)), {"ann"}, "Username", {f"Lab 1: {LAB_1.title}": "one"}
        )


@pytest.mark.parametrize("address", ["", "=1+1@uni.example", "-x@uni.example", "bo@uni.example", "a\\b@uni.example"])
def test_an_address_that_moodle_could_not_take_has_no_line(moodle_export: Path, address: str) -> None:
    text = MOODLE_EXPORT.replace("Ann,Alt,,,,ann@uni.example", f"Ann,Alt,,,,{address}")
    text = text.replace(",77,", ",,").replace(",78,", ",,")
    moodle_export.write_text(text, encoding="utf-8")
    marks = [mark("Alt Ann", 18), mark("Bär Bo", 2), mark("Dann Cy", 3)]
    sheet = lms_sheet(MOODLE, marks, [LAB_1], read_roster(moodle_export, MOODLE))
    assert "Alt Ann" in {left.student for left in sheet.left_out}
    changes = moodle_changes(data_of(sheet), MOODLE_USERS, "Email address", {"Assignment: Lab 1 (Real)": "one"})
    assert ("cy@uni.example", "one") in changes


def test_who_has_another_id_but_not_the_one_that_most_have_is_told(moodle_export: Path) -> None:
    text = MOODLE_EXPORT.replace("Bo,Bär,77,,,bo@uni.example", "Bo,Bär,77,,,").replace(",78,", ",,")
    moodle_export.write_text(text, encoding="utf-8")
    marks = [mark("ann", 18), mark("77", 2), mark("cy", 3)]
    sheet = lms_sheet(MOODLE, marks, [LAB_1], read_roster(moodle_export, MOODLE))
    assert f"77 has no Email address in the roster, and has no line: 2 of 20 in {LAB_1.id}" in sheet.notes
    assert sheet.left_out == [marks[1]]


def test_moodle_gets_the_status_as_a_comment_that_php_reads(moodle_export: Path) -> None:
    marks = [mark("ann", 18, status="tampered", first_wrong='<b>raised "x\\"', late_penalty=2.0), mark("bo", 3)]
    sheet = lms_sheet(MOODLE, marks, [LAB_1], read_roster(moodle_export, MOODLE))
    comment = sheet.rows[0][sheet.header.index("Assignment: Lab 1 (Feedback)")]
    assert isinstance(comment, str)
    assert comment.startswith("A grading cell was changed")
    assert comment.endswith('First thing wrong: &lt;b&gt;raised "x/". Late: 2 off.')
    item = {"Assignment: Lab 1 (Real)": "one"}
    assert len(moodle_changes(data_of(sheet), MOODLE_USERS, "Email address", item)) == 2


def test_a_mark_by_hand_where_the_grading_failed_tells_the_student_so_and_not_why(moodle_export: Path) -> None:
    marks = [mark("ann", 8, status="could_not_grade", first_wrong="no room left")]
    sheet = lms_sheet(MOODLE, marks, [LAB_1], read_roster(moodle_export, MOODLE))
    comment = sheet.rows[0][sheet.header.index("Assignment: Lab 1 (Feedback)")]
    assert comment == "The grading process failed, not your code. A person has marked it."


def test_what_has_no_mark_is_a_dash_to_moodle_for_an_empty_cell_is_0_in_a_new_item(moodle_export: Path) -> None:
    marks = [mark("ann", 18), mark("ann", None, LAB_2.id, status=NOT_GRADED)]
    sheet = lms_sheet(MOODLE, marks, [LAB_1, LAB_2], None)
    assert sheet.rows[0][sheet.header.index(f"Lab 2: {LAB_2.title}")] == "-"
    assert any("Moodle clears a grade that is there" in note for note in sheet.notes)


@pytest.mark.parametrize("lms", [CANVAS, MOODLE])
def test_no_cell_is_a_formula(lms: object, canvas: Canvas, tmp_path: Path, moodle_export: Path) -> None:
    name = '="=cmd"'  # so Canvas exports a name that begins with =
    canvas.people[0] = ("101", "+101", "@ann", name)
    moodle_export.write_text(MOODLE_EXPORT.replace("Ann,Alt", "@Ann,=Alt"), encoding="utf-8")
    path = moodle_export if lms is MOODLE else canvas_roster(canvas, tmp_path)
    student = "ann" if lms is MOODLE else "@ann"
    roster = read_roster(path, MOODLE if lms is MOODLE else CANVAS)
    sheet = lms_sheet(roster.lms, [mark(student, 18, first_wrong="=1+1")], [LAB_1], roster)
    cells = [cell for row in sheet.rows for cell in row if isinstance(cell, str) and cell != "-"]
    assert len(sheet.rows[-1]) == len(sheet.header)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    if lms is CANVAS:
        assert canvas.changes(data_of(sheet))[0] == {("101", "991"): "18"}


def test_names_come_back_as_they_were(canvas: Canvas, tmp_path: Path) -> None:
    canvas.people[0] = ("101", "s101", "ann", 'Ølt; "the, first", Ann')
    sheet = lms_sheet(CANVAS, [mark("ann", 18)], [LAB_1], read_roster(canvas_roster(canvas, tmp_path), CANVAS))
    assert canvas.people[0][3] in next(islice(csv.reader(io.StringIO(data_of(sheet).decode("utf-8"))), 2, None))
    assert canvas.changes(data_of(sheet))[0] == {("101", "991"): "18"}


def test_many_who_are_not_in_the_roster_are_one_note() -> None:
    students = [f"s{number:02}" for number in range(29)]
    sheet = lms_sheet(CANVAS, [mark(one, 3) for one in students], [LAB_1], roster_of(CANVAS, ["z"]))
    assert "29 have no line, for each is not in the roster: s00, s01, s02, s03, s04 and 24 more" in sheet.notes
    assert len(sheet.left_out) == 29
    sheet = lms_sheet(CANVAS, [mark("s00", 3)], [LAB_1], roster_of(CANVAS, students))
    assert any(note.startswith("28 are in the roster, and not in this course: s01, s02, s03") for note in sheet.notes)
