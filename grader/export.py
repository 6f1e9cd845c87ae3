"""Marks as files: a plain CSV, in which each has its status, and the table that an LMS imports (grader.lms_sheet)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.csv_safe import as_csv
from grader.marks import Mark
from grader.whole_file import write_whole
from stub_server.errors import Mendable

Cell = str | float | None


class ExportFailed(Mendable):
    """The file cannot be written; the message says why."""


@dataclass
class Sheet:
    """A table, what its reader should know of it, and the marks that have no place in it.

    ``encoding``: an LMS takes a file for UTF-8, and Excel only one that begins with a byte order mark.
    """

    encoding: str
    header: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: list[Mark] = field(default_factory=list)


def number(value: float | None) -> Cell:
    """Points as a person writes them; None, an empty cell, where nothing was judged: that is not 0."""
    return value if value is None or value % 1 else int(value)


COLUMNS: dict[str, Callable[[Mark], Cell]] = {
    "student": lambda mark: mark.student,
    "lab": lambda mark: mark.lab_id,
    "points": lambda mark: number(mark.points),
    "max_points": lambda mark: number(mark.max_points),
    "status": lambda mark: mark.status,
    "first_thing_wrong": lambda mark: mark.first_wrong,
    "late_penalty": lambda mark: number(mark.late_penalty),
    "marked_by_hand": lambda mark: "yes" if mark.is_by_hand else "",
    "needs_a_look": lambda mark: mark.needs_a_look,
}
"""The plain CSV, a line for each student and lab; ``points`` are after the late penalty."""


def plain_sheet(marks: Sequence[Mark]) -> Sheet:
    """Every mark, with its status, and the reason where there is none."""
    return Sheet("utf-8-sig", list(COLUMNS), [[cell(mark) for cell in COLUMNS.values()] for mark in marks])


def write(sheet: Sheet, path: Path) -> bool:
    """Write ``sheet`` as CSV; see hand_out."""
    return hand_out(as_csv(sheet.header, sheet.rows).encode(sheet.encoding), path)


def hand_out(data: bytes, path: Path) -> bool:
    """Write a file that somebody asked for; True where that replaced one. Raises ExportFailed."""
    try:
        is_replaced = path.exists()
        write_whole(path, data)
    except OSError as problem:
        raise ExportFailed(f"{path} cannot be written: {problem.strerror}") from problem
    return is_replaced
