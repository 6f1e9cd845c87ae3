"""A cell that a student wrote is text in a spreadsheet, whatever it begins with."""

from __future__ import annotations

import csv
import io

import pytest

from grader.csv_safe import as_csv, harmless


@pytest.mark.parametrize("begun", ["=", "+", "-", "@", "\t=", " =", "\r@", "＝"])
def test_what_would_be_a_formula_is_text(begun: str) -> None:
    assert harmless(f'{begun}HYPERLINK("x")').startswith("'")


@pytest.mark.parametrize("text", ["raised x;=1+1", 'raised x; "=1+1', "x;-1"])
def test_no_formula_begins_where_a_spreadsheet_splits_at_semicolons(text: str) -> None:
    assert [part.lstrip()[:1] for part in harmless(text).split(";")[1:]] == ["'"]


@pytest.mark.parametrize("text", ["", "ada", "a=b", "'quoted", "Zoë", "(-1)", "-", "a; b", "1; - "])
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


def test_every_cell_can_be_stored_and_read_again() -> None:
    written = as_csv(["name", "points"], [["\ud800\x00=", None], ['a "b",\nc', 0], ["-1", -1]])
    rows = list(csv.reader(io.StringIO(written.encode("utf-8").decode("utf-8"))))
    assert rows == [["name", "points"], ["\ufffd\ufffd=", ""], ['a "b", c', "0"], ["'-1", "-1"]]
