"""The table that an LMS imports: whose line it is in the LMS's own words, and a column for each lab.

Both importers take an empty grade for "clear it". So a cell without a mark repeats what the LMS has already, where the
roster tells it, and a student without any mark has no line. What was not judged is never 0 (spec 4, rule 4).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.csv_safe import harmless
from grader.export import Cell, Sheet, number
from grader.lms import Lms
from grader.marks import Mark
from grader.roster import Roster, best_key, find_column, find_people, roster_of
from grader.status import MARKED_BY_HAND, STATUSES
from workshop.lab import Lab

_MOST_NOTES = 5
"""Of one kind; a roster of another course would give hundreds."""
_NUMBER = re.compile(r"\d[\d.,]*")


def lms_sheet(lms: Lms, marks: Sequence[Mark], labs: Sequence[Lab], roster: Roster | None) -> Sheet:
    """A line for each student who has a mark in one of ``labs``, and what the instructor should know of it.

    With a roster, students are named as it names them, and a lab's column is called what it is called there; who is
    not found in it has no line. Without one, a student's id is taken for the login at the LMS.
    """
    of_student: dict[str, dict[str, Mark]] = {}
    for mark in marks:
        of_student.setdefault(mark.student, {})[mark.lab_id] = mark
    marked = [student for student, own in of_student.items() if any(mark.points is not None for mark in own.values())]
    columns = [_column(lms, lab, roster) for lab in labs]
    people = roster or roster_of(lms, marked)
    found, why = find_people(people, of_student if roster else marked)
    why |= _doubles(found, marked)
    key = best_key(people, [found[student] for student in marked if student in found])
    identity = people.identity(key)
    sheet = Sheet("utf-8", [*identity, *(title for column in columns for title in column.header)])
    sheet.notes += [] if roster else [f"without --roster: {lms.assumes}"]
    sheet.notes += [note for column in columns for note in column.notes]
    if lms.points_row:
        sheet.rows.append([lms.points_row, *[""] * (len(identity) - 1), *(column.out_of for column in columns)])
    may_clear = 0
    without_line: dict[str, list[str]] = {}
    for student in marked:
        own = of_student[student]
        if reason := why.get(student) or _trouble(people, found[student], key):
            sheet.left_out += [mark for mark in own.values() if mark.points is not None]
            without_line.setdefault(reason, []).append(student)
            continue
        row: list[Cell] = [_text(lms, people.cell(found[student], name)) for name in identity]
        for column in columns:
            mark, present = own[column.lab.id], column.present(found[student])
            row += column.cells(mark, present)
            may_clear += mark.points is None and present is None
            if present in lms.kept and mark.points is not None:
                sheet.notes.append(f"{student} is {lms.kept[present]} {column.lab.id} in {lms.name}, and stays so")
        sheet.rows.append(row)
    for reason, students in without_line.items():
        told = {student: _told(of_student[student].values()) for student in students}
        each = [f"{student} {reason}, and has no line: {points}" for student, points in told.items()]
        sheet.notes += _few(each, f"have no line, for each {reason}", students)
    sheet.notes += _strangers(roster, set(found.values())) if roster else []
    if len(marked) < len(of_student):
        sheet.notes.append(f"{len(of_student) - len(marked)} without any mark have no line")
    if may_clear:
        sheet.notes.append(
            f"{may_clear} empty cells stand beside another lab's mark, and {lms.name} clears a grade that is there:"
            " export one lab at a time, or give its own export as --roster"
        )
    return sheet


def _strangers(roster: Roster, known: set[int]) -> list[str]:
    strangers = [roster.name(person) for person in range(len(roster.people)) if person not in known]
    each = [f"{name} is in the roster, and not in this course" for name in strangers]
    return _few(each, "are in the roster, and not in this course", strangers)


def _few(each: list[str], all_of_them: str, names: Sequence[str]) -> list[str]:
    """A note each; of many one note, with the first names."""
    if len(each) <= _MOST_NOTES:
        return each
    first = ", ".join(names[:_MOST_NOTES])
    return [f"{len(names)} {all_of_them}: {first} and {len(names) - _MOST_NOTES} more"]


def _doubles(found: Mapping[str, int], marked: Sequence[str]) -> dict[str, str]:
    """Of two students with marks who are one in the roster, neither mark may count: whose is it?"""
    same: dict[int, list[str]] = {}
    for student in marked:
        if student in found:
            same.setdefault(found[student], []).append(student)
    return {
        student: f"is the same in the roster as {next(other for other in students if other != student)}"
        for students in same.values()
        if len(students) > 1
        for student in students
    }


def _told(marks: Iterable[Mark]) -> str:
    given = [mark for mark in marks if mark.points is not None]
    return ", ".join(f"{number(mark.points)} of {number(mark.max_points)} in {mark.lab_id}" for mark in given)


def _text(lms: Lms, text: str) -> str:
    return harmless(re.sub(f"[{re.escape(lms.unsafe)}]", "/", text) if lms.unsafe else text)


def _trouble(people: Roster, person: int, key: str) -> str:
    """Why the LMS would not find this person by ``key``, where it stops at whom it does not find; else nothing."""
    value = people.cell(person, key)
    if not people.lms.stops_at_a_stranger:
        return ""
    if not value:
        return f"has no {key} in the roster"
    if value != _text(people.lms, value):
        return f"has a {key} that a spreadsheet would run"
    is_shared = sum(people.cell(one, key).casefold() == value.casefold() for one in range(len(people.people))) > 1
    return f"shares the {key} with another in the roster" if is_shared else ""


@dataclass(frozen=True)
class _Column:
    """A lab's column and, where the LMS takes comments, the one beside it. ``place`` is the roster's column, if any."""

    lms: Lms
    lab: Lab
    roster: Roster | None
    place: int | None
    header: tuple[str, ...]
    out_of: Cell
    notes: tuple[str, ...]

    def present(self, person: int) -> str | None:
        """What the LMS has now; None where that is not known."""
        return None if self.roster is None or self.place is None else self.roster.people[person][self.place]

    def cells(self, mark: Mark, present: str | None) -> list[Cell]:
        if present in self.lms.kept:
            written: Cell = present
        elif mark.points is not None:
            written = number(mark.points)
        else:
            written = self.lms.none if present is None else _as_number(present)
        return [written, _text(self.lms, _comment(mark))] if self.lms.has_comments else [written]


def _column(lms: Lms, lab: Lab, roster: Roster | None) -> _Column:
    place, why = find_column(roster, lab) if roster else (None, "")
    title = f"Lab {lab.number}: {lab.title}"
    out_of: Cell = lab.points
    notes = [f"{why}: it is called “{title}”, and {lms.name} asks what it is"] if why else []
    if roster and place is not None:
        title = roster.header[place]
        if roster.out_of:
            out_of = _as_number(roster.out_of[place])
            if out_of not in ("", lab.points):
                notes.append(f"{lms.name} has “{title}” out of {out_of}, and these marks are out of {lab.points}")
    comments = (f"{title.removesuffix(' (Real)')} (Feedback)",) if lms.has_comments else ()
    return _Column(lms, lab, roster, place, (title, *comments), out_of, tuple(notes))


def _as_number(text: str) -> Cell:
    """What an LMS wrote, as a number where it is one; with a decimal comma as well, as Canvas reads it."""
    if not _NUMBER.fullmatch(text):
        return text
    whole, _, part = text.replace(",", ".").rpartition(".")
    return number(float(f"{whole.replace('.', '')}.{part}" if whole else part))


def _comment(mark: Mark) -> str:
    """The status for the student, in words; the LMS shows it as HTML."""
    is_by_hand = mark.status == "could_not_grade" and mark.points is not None
    said = [MARKED_BY_HAND if is_by_hand else STATUSES[mark.status].to_student]
    if mark.points is not None and mark.first_wrong and not is_by_hand:
        said.append(f"First thing wrong: {html.escape(mark.first_wrong, quote=False)}.")
    if mark.late_penalty:
        said.append(f"Late: {number(mark.late_penalty)} off.")
    return " ".join(said)
