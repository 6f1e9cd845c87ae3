"""verdict.json is read as it was written, or not at all: whatever else the file holds is no verdict, and no error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.feedback import CheckReport, GroupReport, WrongCase
from grader.results import Result
from grader.verdict_file import read_verdict, verdict_document
from tests.hostile.attacks import LAB1
from workshop.lab import Lab

WRONG = WrongCase("admit() was called.", "[1]", "[2]")
GROUPS = (GroupReport("one", "One", 2, 2, 3, 3, None), GroupReport("two", "Two", 0, 1, 1, 2, WRONG))
CHECK = CheckReport("lab1.counting", "Counting", 2, 3, None, "", "Counting: raised \ud800", ("a", "b"), GROUPS)
RESULT = Result("graded", ("a note",), {"check-counting": CHECK}, {})
TEXT = verdict_document(RESULT, Lab.find(LAB1), "key", b"notebook")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "status", "x"]), inner),
    max_leaves=4,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "verdict.json"


def test_what_was_written_is_read(path: Path) -> None:
    path.write_text(TEXT)
    verdict = read_verdict(path)
    assert verdict is not None
    assert (verdict.status, verdict.points, verdict.notes, verdict.first_wrong) == (
        *("graded", 2, ("a note",)),
        "Counting: raised \ud800",
    )
    assert verdict.checks == {"check-counting": CHECK}
    path.write_text(verdict_document(Result("could_not_grade", ("no room left",), {}, {}), Lab.find(LAB1), "key", b""))
    verdict = read_verdict(path)
    assert verdict is not None
    assert verdict.points is None


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ('"version": 1', '"version": 99'),
        ('"version": 1', '"version": true'),
        ('"status": "graded"', '"status": "perfect"'),
        ('"status": "graded"', '"status": ["graded"]'),
        ('"points": 2,\n "max', '"points": 2.0,\n "max'),
        ('"points": 2,\n "max', '"points": NaN,\n "max'),
        ('"points": 2,\n "max', '"points": true,\n "max'),
        ('"points": 2,\n "max', f'"points": {"9" * 5000},\n "max'),
        ('"key"', '"clef"'),
        ('"lab"', '"more": 1, "lab"'),
        ('"notes": [\n  "a note"\n ]', '"notes": "a note"'),
        ('"notes": [\n  "a note"\n ]', '"notes": [null]'),
        ('"called"', '"asked"'),
        ('"wrong": null', '"wrong": []'),
    ],
)
def test_another_version_and_another_shape_are_no_verdict(path: Path, there: str, instead: str) -> None:
    assert TEXT.count(there)
    path.write_text(TEXT.replace(there, instead))
    assert read_verdict(path) is None


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[]", b"null", b"{}", b"[" * 100_000, TEXT.encode()[:-40]])
def test_what_is_no_document_is_no_verdict(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert read_verdict(path) is None


def test_where_there_is_no_file_there_is_no_verdict(path: Path) -> None:
    assert read_verdict(path) is None
    path.mkdir()
    assert read_verdict(path) is None


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_any_json_in_any_place_is_read_or_no_verdict(path: Path, value: Any) -> None:
    for place in json.loads(TEXT):
        path.write_text(json.dumps({**json.loads(TEXT), place: value}))
        verdict = read_verdict(path)
        assert verdict is None or json.loads(path.read_text())[place] == value
