"""Cells of a CSV file: what a student wrote must stay text when a spreadsheet opens it (spec 4, inside nbgrader)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

_FORMULA = re.compile(r"""(^|;)(?=[\s"]*[=+\-@＝＋－＠]\s*\S)""")
"""A spreadsheet may run what begins with one of these signs, white space before it or not; a sign alone is none.

Where a comma is the decimal sign, a spreadsheet takes a semicolon for the end of a cell, in the middle of a text too.
"""
_NOT_SHOWN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def harmless(text: str) -> str:
    """``text`` as a spreadsheet shows it: an apostrophe before what would be a formula, nothing it cannot store."""
    return _FORMULA.sub(r"\1'", without_control(text))


def without_control(text: str) -> str:
    """``text`` with a mark for each control character and lone surrogate; a line break is a space."""
    return _NOT_SHOWN.sub(lambda found: " " if found[0] in "\n\r\t" else "\ufffd", text)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """The rows as CSV; a text is made harmless, and None is an empty cell: what was not judged is no 0."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()
