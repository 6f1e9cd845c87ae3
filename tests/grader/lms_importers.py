"""How Canvas and Moodle read a gradebook file, after their own importers: what an import of it would change.

Canvas: lib/gradebook_importer.rb and ui/features/gradebook_uploads. Moodle: lib/csvlib.class.php and
grade/import/csv/classes/load_data.php.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Grades = dict[tuple[str, str], str | None]
"""By person and assignment; None where a grade is cleared."""


@dataclass
class Canvas:
    """A course there: its people's ID, SIS User ID, SIS Login ID and sortable name; assignments by id; grades."""

    people: list[tuple[str, str, str, str]]
    assignments: dict[str, str]
    grades: dict[tuple[str, str], str] = field(default_factory=dict)

    def export(self) -> str:
        """As its Grades > Export writes it, with the totals and the row of posting policies."""
        titles = [f"{title} ({number})" for number, title in self.assignments.items()]
        rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Notes", *titles, "Current Score"]]
        rows.append([""] * 6 + ["Manual Posting"] * len(titles) + [""])
        rows.append(["    Points Possible", "", "", "", "", "", *["20.00"] * len(titles), "(read only)"])
        for number, sis, login, name in self.people:
            grades = [self.grades.get((number, assignment), "") for assignment in self.assignments]
            rows.append([name, number, sis, login, "Section 1", "", *grades, "90.00"])
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(rows)
        return out.getvalue()

    def changes(self, data: bytes) -> tuple[Grades, list[str], list[str]]:
        """What the import page would change, whom it does not know, and which columns it takes for new assignments."""
        assert not re.search(rb'(^|,)""(,|$)', data, re.MULTILINE), "an empty cell in quotes is no empty cell to Ruby"
        header, *rows = csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True)
        assert "Student" in header[0]
        assert "ID" in header[1]
        info = header.index("Section") + 1
        assert info == (5 if "SIS User ID" in header else 4 if "SIS Login ID" in header else 3)
        columns = {place: self._assignment(name) for place, name in enumerate(header) if place >= info}
        unknown: list[str] = []
        found: Grades = {}
        for row in rows:
            if "Points Possible" in row[0]:
                continue
            person = self._person(dict(zip(header, row, strict=True)))
            if person is None:
                unknown.append(row[0])
                continue
            for place, assignment in columns.items():
                before, now = self.grades.get((person, assignment or ""), ""), row[place].strip()
                if assignment and _value(now) != _value(before):
                    found[person, assignment] = now or None
        return found, unknown, [header[place] for place, assignment in columns.items() if assignment is None]

    def _assignment(self, name: str) -> str | None:
        numbered = re.fullmatch(r"(.*)\s\((\d+)\)", name)
        if numbered and numbered[2] in self.assignments:
            return numbered[2]
        return next((number for number, title in self.assignments.items() if title == name), None)

    def _person(self, row: Mapping[str, str]) -> str | None:
        for column, place in (("ID", 0), ("SIS User ID", 1), ("SIS Login ID", 2), ("Student", 3)):
            if value := row.get(column):
                for person in self.people:
                    if person[place] == value:
                        return person[0]
        return None


def _value(text: str) -> str:
    return f"{float(text.replace(',', '.')):.2f}" if re.fullmatch(r"[\d.,]+", text) else text


class MoodleStops(Exception):
    """The import is refused as a whole."""


def moodle_changes(data: bytes, users: set[str], map_from: str, items: Mapping[str, str]) -> Grades:
    """What an import would set, where ``map_from`` finds ``users`` and ``items`` maps headers to grade items."""
    header, *rows = php_csv(data.decode("utf-8").removeprefix("\ufeff"))
    found: Grades = {}
    for row in rows:
        if len(row) != len(header):
            raise MoodleStops("csvweirdcolumns")
        cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
        user = cells[map_from]
        if user not in users:
            raise MoodleStops(f"usermappingerror: {user}")
        for column, item in items.items():
            value = cells[column]
            if value in ("", "-"):
                found[user, item] = None
            elif re.fullmatch(r"[\d.,]+", value):
                found[user, item] = value
            else:
                raise MoodleStops(f"badgrade: {value}")
    return found


def php_csv(text: str) -> Iterator[list[str]]:
    """fgetcsv as PHP has it: within quotes, a backslash keeps the next character from ending them."""
    row: list[str] = []
    cell, is_quoted, place = "", False, 0
    while place < len(text):
        one, two = text[place], text[place : place + 2]
        place += 1
        if is_quoted and one == "\\":
            cell += two
            place += 1
        elif is_quoted and two == '""':
            cell += '"'
            place += 1
        elif one == '"':
            is_quoted = not is_quoted
        elif one == "," and not is_quoted:
            row.append(cell)
            cell = ""
        elif one == "\n" and not is_quoted:
            yield [*row, cell]
            row, cell = [], ""
        else:
            cell += one
