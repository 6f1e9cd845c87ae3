"""Collecting: whatever an inbox holds, notebooks come under their student and lab, and the rest is refused and told."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.collect import collect
from grader.course import Course
from grader.hand_ins import find_submissions
from grader.inbox import InboxUnreadable
from tests.hostile.attacks import LAB1, LAB4
from tests.solved import ROOT
from workshop.lab import all_labs

NOTEBOOKS = {lab_id: (ROOT / "notebooks" / lab_id / f"{lab_id}.ipynb").read_bytes() for lab_id in (LAB1, LAB4)}
ONE = NOTEBOOKS[LAB1]


def packed(files: dict[str, bytes], *, level: int = 1) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def take(tmp_path: Path, files: dict[str, bytes], *, as_zip: bool = False) -> dict[str, tuple[str, str]]:
    """What came of each source: the outcome, and student/lab or the reason."""
    inbox = tmp_path / "inbox"
    if as_zip:
        inbox = tmp_path / "inbox.zip"
        inbox.write_bytes(packed(files))
    else:
        for name, data in files.items():
            (inbox / name).parent.mkdir(parents=True, exist_ok=True)
            (inbox / name).write_bytes(data)
    done = list(collect(Course(tmp_path), all_labs(ROOT), inbox))
    return {one.source: (one.outcome, one.why or f"{one.student}/{one.lab_id}") for one in done}


@pytest.mark.parametrize("as_zip", [False, True])
def test_folders_packets_and_lms_names_come_under_student_and_lab(tmp_path: Path, as_zip: bool) -> None:
    files = {
        "ann/any name (2).ipynb": ONE,
        "ann/week 4.ipynb": NOTEBOOKS[LAB4],
        "Bo Ek_77_assignsubmission_file_/packet.zip": packed({"lab1/lab.ipynb": ONE, "lab1/card.json": b"{}"}),
        "Cy Ek_78_assignsubmission_file_lab1.ipynb": ONE,
        "carl_4711_8812_lab1.ipynb": ONE,
        "carl_LATE_4711_8813_lab4.ipynb": NOTEBOOKS[LAB4],
        "dora.zip": packed({"x.ipynb": ONE, "__MACOSX/._x.ipynb": b"junk", ".ipynb_checkpoints/x.ipynb": ONE}),
        "ann/notes.txt": b"not asked for",
    }
    assert sorted(take(tmp_path, files, as_zip=as_zip).values()) == [
        ("taken", f"Bo Ek_77/{LAB1}"),
        ("taken", f"Cy Ek_78/{LAB1}"),
        ("taken", f"ann/{LAB1}"),
        ("taken", f"ann/{LAB4}"),
        ("taken", f"carl/{LAB1}"),
        ("taken", f"carl/{LAB4}"),
        ("taken", f"dora/{LAB1}"),
    ]
    found = find_submissions(Course(tmp_path), [LAB1])
    assert [one.student for one in found if one.path.read_bytes() == ONE] == [
        "Bo Ek_77",
        "Cy Ek_78",
        "ann",
        "carl",
        "dora",
    ]


HOSTILE: dict[str, tuple[dict[str, bytes], str]] = {
    "a path that leads out": ({"../../eve/x.ipynb": ONE}, "leads out"),
    "a path that leads out later": ({"eve/../../../x.ipynb": ONE}, "leads out"),
    "a path from the root": ({"/eve/x.ipynb": ONE}, "no student is called '/'"),
    "a path as on Windows": ({"..\\..\\eve.ipynb": ONE}, "leads out"),
    "a name with a pattern in it": ({"*/x.ipynb": ONE}, "no student is called '*'"),
    "a name with a control character": ({"e\x1bve/x.ipynb": ONE}, "no student is called"),
    "a zip bomb": ({"eve/x.ipynb": b" " * (65 << 20)}, "unpacks to more than 64 MiB"),
    "a zip bomb in a zip": ({"eve.zip": packed({"x.ipynb": b" " * (65 << 20)}, level=9)}, "more than 64 MiB"),
    "too many files": ({"eve.zip": packed({f"{number}.ipynb": b"" for number in range(10_001)})}, "more than 10000"),
    "no zip": ({"eve.zip": b"PK\x03\x04 and no more"}, "no zip that can be read"),
    "not a notebook": ({"eve/x.ipynb": b"{}"}, "not a notebook"),
    "of no lab": ({"eve/x.ipynb": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'}, "no lab here"),
    "whose is it": ({f"{LAB1}.ipynb": ONE}, "whose is it"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_hostile_or_unclear_is_refused_and_stops_nobody(tmp_path: Path, kind: str) -> None:
    files, why = HOSTILE[kind]
    done = take(tmp_path, {**files, "honest/x.ipynb": ONE}, as_zip=True)
    assert done.pop("honest/x.ipynb") == ("taken", f"honest/{LAB1}")
    assert [outcome for outcome, _ in done.values()] == ["refused"]
    assert why in next(iter(done.values()))[1]
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "inbox.zip"]
    assert written == [tmp_path / "course" / "submitted" / "honest" / LAB1 / f"{LAB1}.ipynb"]


@pytest.mark.parametrize("as_zip", [False, True])
def test_where_there_is_no_notebook_that_is_told_and_what_lies_beside_one_is_not(tmp_path: Path, as_zip: bool) -> None:
    files = {
        "ann/x.ipynb": ONE,
        "ann/card.json": b"{}",
        "yan/lab1.pdf": b"%PDF",
        "yan/notes.txt": b"see the PDF",
        "zoe_4711_8812_lab1.pdf": b"%PDF",
        "empty.zip": packed({}),
        "uma/.DS_Store": b"",
    }
    done = take(tmp_path, files, as_zip=as_zip)
    assert {source: outcome for source, outcome in done.items() if outcome[0] != "taken"} == {
        "yan/lab1.pdf": ("left_out", "not a notebook"),
        "zoe_4711_8812_lab1.pdf": ("left_out", "not a notebook"),
        "empty.zip": ("left_out", "not a notebook"),
    }


def test_the_lab_behind_a_name_is_no_part_of_it(tmp_path: Path) -> None:
    files = {
        "eve_lab1.ipynb": ONE,
        "fay-LAB4.ipynb": NOTEBOOKS[LAB4],
        f"gus_{LAB1}.zip": packed({"x.ipynb": ONE}),
        "hal_lab4.ipynb": ONE,  # of lab 1: then it is a name
    }
    assert {student for _, student in take(tmp_path, files).values()} == {
        *(f"eve/{LAB1}", f"fay/{LAB4}", f"gus/{LAB1}", f"hal_lab4/{LAB1}"),
    }


def test_what_is_no_json_or_no_zip_is_named_in_plain_words(tmp_path: Path) -> None:
    assert take(tmp_path, {"eve/x.ipynb": b"print(1)"}) == {
        "eve/x.ipynb": ("refused", "not a notebook: it is not JSON")
    }
    (tmp_path / "broken.zip").write_bytes(b"PK")
    [broken] = collect(Course(tmp_path), all_labs(ROOT), tmp_path / "broken.zip")
    assert broken.source == "broken.zip"


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "inbox" / "eve").mkdir(parents=True)
    (tmp_path / "inbox" / "eve" / "x.ipynb").symlink_to(ROOT / "solutions" / LAB1 / f"{LAB1}.ipynb")
    assert take(tmp_path, {}) == {"eve/x.ipynb": ("refused", "is a link")}
    member = zipfile.ZipInfo("eve/x.ipynb")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as archive:
        archive.writestr(member, "/etc/passwd")
    done = list(collect(Course(tmp_path), all_labs(ROOT), tmp_path / "links.zip"))
    assert [(one.outcome, one.why) for one in done] == [("refused", "is a link")]


def test_a_second_hand_in_replaces_the_first_and_says_so(tmp_path: Path) -> None:
    changed = ONE.replace(b"guess", b"guess ", 1)
    assert take(tmp_path, {"ann/x.ipynb": ONE})["ann/x.ipynb"][0] == "taken"
    assert take(tmp_path, {"ann/x.ipynb": ONE})["ann/x.ipynb"][0] == "same"
    assert take(tmp_path, {"ann/x.ipynb": changed})["ann/x.ipynb"][0] == "replaced"
    twice = take(tmp_path, {"ann/x.ipynb": ONE, "ann/y.ipynb": ONE})
    why = "a second notebook for this lab; ann/x.ipynb was taken: if that is the wrong one, take it out"
    assert twice["ann/y.ipynb"] == ("refused", why)


def test_a_folder_around_all_hand_ins_of_a_zip_is_no_student(tmp_path: Path) -> None:
    """As a zip of a folder has it; a packet of one student may hold a folder for each lab."""
    wrapped = {"class/ann/x.ipynb": ONE, "class/bo/x.ipynb": ONE, "class/bo/data/cases.json": b"{}"}
    assert take(tmp_path, wrapped, as_zip=True) == {
        "ann/x.ipynb": ("taken", f"ann/{LAB1}"),
        "bo/x.ipynb": ("taken", f"bo/{LAB1}"),
    }
    packet = {f"eve/{LAB1}/x.ipynb": ONE, f"eve/{LAB4}/x.ipynb": NOTEBOOKS[LAB4], "eve/data/cases.json": b"{}"}
    assert take(tmp_path, packet, as_zip=True) == {
        f"eve/{LAB1}/x.ipynb": ("taken", f"eve/{LAB1}"),
        f"eve/{LAB4}/x.ipynb": ("taken", f"eve/{LAB4}"),
    }


def test_what_is_no_inbox_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InboxUnreadable):
        list(collect(Course(tmp_path), all_labs(ROOT), tmp_path / "notes.txt"))


def test_the_command_tells_what_it_refused_and_exits_with_1(course: Course, tmp_path: Path) -> None:
    (tmp_path / "in.zip").write_bytes(packed({"ann/x.ipynb": ONE, "../x.ipynb": ONE}))

    def run(*more: str) -> Any:
        program = Path(sys.executable).parent / "admit-one"
        command = [str(program), "collect", str(tmp_path / "in.zip"), *more]
        return subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=60)

    done = run()
    assert done.returncode == 1
    assert "refused ../x.ipynb: its path leads out of the inbox" in done.stdout
    assert "1 taken, 0 replaced, 0 same, 1 refused" in done.stdout
    assert {one["outcome"] for one in json.loads(run("--json").stdout)} == {"same", "refused"}


def test_the_command_exits_with_1_where_nothing_of_a_student_was_taken(
    course: Course, tmp_path: Path, admit_one: Callable[..., tuple[int, str, str]]
) -> None:
    (tmp_path / "in.zip").write_bytes(packed({"ann_1_2_x.ipynb": ONE, "ann_1_3_card.pdf": b"%PDF"}))
    code, said, _ = admit_one(course, "collect", tmp_path / "in.zip")
    assert (code, said.splitlines()[0]) == (0, "left out ann_1_3_card.pdf: not a notebook")
    of_moodle = "Bo Ek_77_assignsubmission"
    (tmp_path / "in.zip").write_bytes(packed({f"{of_moodle}_file/x.ipynb": ONE, f"{of_moodle}_onlinetext/x.html": b""}))
    assert admit_one(course, "collect", tmp_path / "in.zip")[0] == 0
    (tmp_path / "in.zip").write_bytes(packed({"ann/x.ipynb": ONE, "yan/lab1.pdf": b"%PDF"}))
    code, said, complaint = admit_one(course, "collect", tmp_path / "in.zip")
    assert said.splitlines() == [
        "left out yan/lab1.pdf: not a notebook",
        "0 taken, 0 replaced, 1 same, 0 refused, 1 left out",
    ]
    assert (code, complaint) == (1, "admit-one: not everything could be taken; the lines above say why\n")
