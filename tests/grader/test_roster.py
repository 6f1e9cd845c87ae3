"""A roster says who is who; what it does not say for certain it does not say at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.lms import CANVAS, MOODLE, Lms
from grader.roster import Roster, RosterUnreadable, find_column, find_people, read_roster
from tests.solved import ROOT
from workshop.lab import all_labs

LAB_1 = all_labs(ROOT)[0]
HEAD = "Student,ID,SIS User ID,SIS Login ID,Section"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def read(folder: Path, text: str, lms: Lms = CANVAS, encoding: str = "utf-8") -> Roster:
    (folder / "roster.csv").write_bytes(text.encode(encoding))
    return read_roster(folder / "roster.csv", lms)


@pytest.mark.parametrize(
    ("student", "person"),
    [
        ("ann", "1"),  # the login, before Ann of the same address
        ("ANN", "1"),
        ("s2", "2"),
        ("3", "3"),
        ("cy", "3"),  # the part of the address before the @
        ("Möller Dora", "4"),
        ("Dora Möller_4711", "4"),  # as Moodle's zip has it
        ("möllerdora_LATE", "4"),  # as Canvas's zip has it
        ("twin", "fits more than one in the roster"),
        ("Twin Tom", "fits more than one in the roster"),
        ("nobody", "is not in the roster"),
        ("", "is not in the roster"),
    ],
)
def test_a_student_is_found_by_id_address_or_name_or_not_at_all(folder: Path, student: str, person: str) -> None:
    rows = [
        '"Alt, Ann",1,s1,ann,A',
        '"Alt, Ann B",2,s2,ann@uni.example,A',
        '"Cruz, Cy",3,s3,cy@uni.example,A',
        '"Möller, Dora",4,s4,d4,A',
        '"Twin, Tom",5,s5,twin@a.example,A',
        '"Twin, Tom",6,s6,twin@b.example,A',
    ]
    roster = read(folder, "\n".join([HEAD, *rows]))
    people, why = find_people(roster, [student])
    assert person == (roster.cell(people[student], "ID") if student in people else why[student])


@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("utf-8", ","), ("utf-8-sig", ","), ("utf-8-sig", ";"), ("utf-8", "\t")]
)
def test_a_roster_is_read_however_its_lms_was_set_up(folder: Path, encoding: str, delimiter: str) -> None:
    text = f'{HEAD}\r\n    Points Possible,,,,\r\n"Ötz, A",1,,oa,S\r\n\r\n'.replace('"Ötz, A"', "Ötz A")
    roster = read(folder, text.replace(",", delimiter), encoding=encoding)
    assert [roster.name(person) for person in range(len(roster.people))] == ["Ötz A"]


@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [
        ("", "utf-8", "has no column SIS Login ID or SIS User ID or ID"),
        ("Name,Mail\nA,a@uni.example\n", "utf-8", "has no column SIS Login ID or SIS User ID or ID"),
        ("Student,ID\nA,1\n", "utf-8", "has no column Section"),
        (f"{HEAD}\nÖtz,1,,,\n", "cp1252", "is no CSV in UTF-8"),
    ],
)
def test_what_is_no_roster_is_refused_and_says_what_is_wrong(folder: Path, text: str, encoding: str, told: str) -> None:
    with pytest.raises(RosterUnreadable, match=told):
        read(folder, text, encoding=encoding)


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        (["Lab 1 (77)", "Lab 10 (78)", "Lab 1.5 (79)"], "Lab 1 (77)"),
        (["Week 2 (76)", f"{LAB_1.title} (77)"], f"{LAB_1.title} (77)"),
        ([f"{LAB_1.id} (77)", "Lab 1 resit (78)"], f"{LAB_1.id} (77)"),
        (["Lab 01 fan-out (77)"], "Lab 01 fan-out (77)"),
        (["Lab 1 Current Score", "Lab 1 Final Points"], "the roster has no column for lab1"),
        (["Homework (77)"], "the roster has no column for lab1"),
        (
            ["Lab 1 (77)", "Lab 1 (78)"],
            "the roster has “Lab 1 (77)” and “Lab 1 (78)” for lab1: rename one of them there",
        ),
    ],
)
def test_a_labs_column_has_its_name_or_number_and_is_the_only_one(folder: Path, columns: list[str], title: str) -> None:
    roster = read(folder, ",".join([HEAD, *columns]))
    place, why = find_column(roster, LAB_1)
    assert title == (why if place is None else roster.header[place])


def test_moodles_percentages_and_comments_are_no_labs_column(folder: Path) -> None:
    kinds = ["(Percentage)", "(Letter)", "(Feedback)", "(Real)"]
    columns = ["Surname", "Email address", *(f"Assignment: Lab 1 {kind}" for kind in kinds), "Feedback: Lab 1"]
    roster = read(folder, ",".join(columns), MOODLE)
    place, _ = find_column(roster, LAB_1)
    assert place is not None
    assert roster.header[place] == "Assignment: Lab 1 (Real)"
