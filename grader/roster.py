"""A class list that an LMS exported: who is who there, which of its columns is a lab's, and what stands in it now."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.lms import LMS, Lms
from stub_server.errors import Mendable
from workshop.lab import Lab

_DELIMITERS = ",;\t"
_BEHIND_A_NAME = re.compile("".join(lms.left_behind_it for lms in LMS.values()) + "$", re.IGNORECASE)
"""Of any LMS: what lies in the course may have come by another way than marks go out."""


class RosterUnreadable(Mendable):
    """The file is no class list of this LMS; the message says what is missing."""


@dataclass(frozen=True)
class Roster:
    """The header, a row of cells for each person, and what Canvas says each column is out of."""

    lms: Lms
    header: tuple[str, ...]
    people: tuple[tuple[str, ...], ...]
    out_of: tuple[str, ...]

    def cell(self, person: int, column: str) -> str:
        return self.people[person][self.header.index(column)] if column in self.header else ""

    def name(self, person: int) -> str:
        parts = [self.cell(person, part) for part in self.lms.names]
        return " ".join(filter(None, reversed(parts))) or next(filter(None, self.people[person]))

    def names(self, person: int) -> set[str]:
        """The full name in both orders, with nothing but its letters and digits: as a zip's files are named."""
        whole = ",".join(filter(None, (self.cell(person, part) for part in self.lms.names)))
        parts = whole.split(",", 1)
        return {_squeeze("".join(parts)), _squeeze("".join(reversed(parts)))} - {""}

    def identity(self, key: str) -> tuple[str, ...]:
        """The columns that say whose line it is: all up to one, where the LMS has it so, else the name and ``key``."""
        if self.lms.up_to:
            return self.header[: self.header.index(self.lms.up_to) + 1]
        return (*(name for name in self.lms.names if name in self.header), key)


def roster_of(lms: Lms, students: Sequence[str]) -> Roster:
    """A roster where none is given: each student's id is the login at the LMS."""
    people = tuple(tuple(student if is_id else "" for _, is_id in lms.alone) for student in students)
    return Roster(lms, tuple(column for column, _ in lms.alone), people, ())


def read_roster(path: Path, lms: Lms) -> Roster:
    """The gradebook that ``lms`` exported as CSV, whatever its delimiter; raises RosterUnreadable."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        lines = text.splitlines() or [""]
        delimiter = max(_DELIMITERS, key=lambda one: len(next(csv.reader([lines[0]], delimiter=one), [])))
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(row)]
    except OSError as problem:
        raise RosterUnreadable(f"the roster cannot be read: {problem}") from problem
    except (UnicodeDecodeError, csv.Error) as problem:
        raise RosterUnreadable(f"{path.name} is no CSV in UTF-8: take it as {lms.name} exports it") from problem
    header = tuple(lms.also_called.get(cell.strip(), cell.strip()) for cell in rows[0]) if rows else ()
    for needed in filter(any, (lms.keys, (lms.up_to,))):
        if not set(needed) & set(header):
            what = f"{path.name} has no column {' or '.join(needed)}"
            raise RosterUnreadable(f"{what}: export the gradebook from {lms.name}, in English")
    cells = [tuple(cell.strip() for cell in (*row, *[""] * len(header))[: len(header)]) for row in rows[1:]]
    keys = [header.index(key) for key in lms.keys if key in header]
    return Roster(
        lms=lms,
        header=header,
        people=tuple(row for row in cells if any(row[key] for key in keys)),
        out_of=next((row for row in cells if lms.points_row and lms.points_row.strip() in row[0]), ()),
    )


def find_people(roster: Roster, students: Iterable[str]) -> tuple[dict[str, int], dict[str, str]]:
    """Whom each student is in the roster, and of whom that cannot be said, why.

    A student's id is looked for among the roster's ids, then as the part of an address before the @, then as a name.
    What fits two people is nobody: a mark must not go to another.
    """
    exact: dict[str, set[int]] = {}
    ids: dict[str, set[int]] = {}
    addresses: dict[str, set[int]] = {}
    names: dict[str, set[int]] = {}
    for person in range(len(roster.people)):
        for value in filter(None, (roster.cell(person, key) for key in roster.lms.keys)):
            exact.setdefault(value, set()).add(person)
            ids.setdefault(value.casefold(), set()).add(person)
            addresses.setdefault(value.casefold().partition("@")[0], set()).add(person)
        for name in roster.names(person):
            names.setdefault(name, set()).add(person)
    found: dict[str, int] = {}
    why: dict[str, str] = {}
    for student in students:
        folded, name = student.casefold(), _squeeze(_BEHIND_A_NAME.sub("", student))
        tries = (exact.get(student), ids.get(folded), addresses.get(folded), names.get(name))
        fitting = next(filter(None, tries), set())
        if len(fitting) == 1:
            found[student] = next(iter(fitting))
        else:
            why[student] = "fits more than one in the roster" if fitting else "is not in the roster"
    return found, why


def find_column(roster: Roster, lab: Lab) -> tuple[int | None, str]:
    """The roster's column for a lab; or None, and why. It has the lab's name or title, or says ``Lab 1`` somewhere."""
    names = {_squeeze(name) for name in (lab.id, lab.prefix, lab.title, f"{lab.prefix} {lab.title}")}
    number = re.compile(rf"\blab[ _-]*0*{lab.number}(?![\d.]*\d)", re.IGNORECASE)
    columns = [place for place, title in enumerate(roster.header) if not re.search(roster.lms.no_lab, title)]
    titles = {place: re.sub(roster.lms.around_a_title, "", roster.header[place]) for place in columns}
    exact = [place for place, title in titles.items() if _squeeze(title) in names]
    fitting = exact or [place for place in columns if number.search(roster.header[place])]
    if len(fitting) == 1:
        return fitting[0], ""
    if fitting:
        which = " and ".join(f"“{roster.header[place]}”" for place in fitting)
        return None, f"the roster has {which} for {lab.prefix}: rename one of them there"
    return None, f"the roster has no column for {lab.prefix}"


def _squeeze(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def best_key(roster: Roster, people: Sequence[int]) -> str:
    """The column that tells the most of these people apart."""

    def told_apart(key: str) -> int:
        values = [roster.cell(person, key).casefold() for person in people]
        return sum(bool(value) and values.count(value) == 1 for value in values)

    return max((key for key in roster.lms.keys if key in roster.header), key=told_apart)
