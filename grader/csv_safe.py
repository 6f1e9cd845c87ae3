"""Cells of a CSV file: what a student wrote must stay text when a spreadsheet opens it (spec 4, inside nbgrader)."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence

_FORMULA = re.compile(r"""(^|;)(?=[\s"]*[=+\-@＝＋－＠]\s*\S)""")
"""A spreadsheet may run what begins with one of these signs, white space before it or not; a sign alone is none.

Where a comma is the decimal sign, a spreadsheet takes a semicolon for the end of a cell, in the middle of a text too.
"""


def harmless(text: str) -> str:
    """``text`` as a spreadsheet shows it: an apostrophe before what would be a formula, nothing it cannot store."""
    return _FORMULA.sub(r"\1'", without_control(text))


def without_control(text: str) -> str:
    """``text`` with a mark for each control character and lone surrogate; a line break is a space."""
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in "\n\r\t":
        return " "
    return "\ufffd" if unicodedata.category(character) in ("Cc", "Cs") else character


def as_csv(header: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """The rows as CSV; a text is made harmless, and None is an empty cell: what was not judged is no 0."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()
