"""The class report: one page of HTML that needs nothing else, and a CSV beside it (spec 5, the instructor)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from grader.class_results import Standing, read_class
from grader.course import Course
from grader.csv_safe import without_control
from grader.export import Cell, Sheet, hand_out, number, write
from grader.progress import Progress
from grader.report_tables import LabTables, Tally, needs_a_look, show_lab
from grader.submission import UNGUARDED
from workshop.lab import Lab

_STEPS = "Reporting"
_COLUMNS = (
    *("student", "name", "lab", "status", "mark", "max_mark", "needs_a_look", "handed_in", "notes"),
    *("check", "group", "points", "max_points", "cases_right", "cases", "called", "expected", "got"),
    *("misconception", "hint"),
)


@dataclass(frozen=True)
class Report:
    """The files that were written, each with whether it replaced one, and who needs a look, by reason.

    ``missing`` is how many handed in and have no mark, through no fault of theirs.
    """

    files: dict[Path, bool]
    look: tuple[Tally, ...]
    missing: int


def write_report(course: Course, labs: Sequence[Lab], path: Path, progress: Progress = lambda *_: None) -> Report:
    """Write the report on ``labs`` to ``path``, an HTML file, and the same in figures as CSV beside it.

    Raises ExportFailed, and NothingHandedIn and MarksUnreadable as read_marks does.
    """
    progress(_STEPS, 0, 3)
    found = read_class(course, labs)
    progress(_STEPS, 1, 3)
    tables = [show_lab(lab, found[lab.id]) for lab in labs if lab.id in found]
    look = needs_a_look(tables)
    page = _page(tables, look).encode("utf-8", "replace")
    progress(_STEPS, 2, 3)
    sheet = Sheet("utf-8-sig", list(_COLUMNS), list(_csv_rows(tables)))
    beside = path.with_suffix(".csv")
    files = {path: hand_out(page, path), beside: write(sheet, beside)}
    progress(_STEPS, 3, 3)
    missing = sum(line.standing.mark.is_missing for table in tables for line in table.lines)
    return Report(files, tuple(look), missing)


def _page(tables: Sequence[LabTables], look: Sequence[Tally]) -> str:
    environment = Environment(
        loader=PackageLoader("grader", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: without_control(value) if type(value) is str else value,
    )
    style, script = (environment.get_template(name).render() for name in ("report.css", "report.js"))
    standings = [line.standing for table in tables for line in table.lines]
    now = datetime.now().astimezone()
    return environment.get_template("report.html").render(
        tables=tables,
        look=look,
        students=len({one.student for one in standings}),
        hand_ins=sum(one.mark.status != "not_submitted" for one in standings),
        unguarded=sum(UNGUARDED in one.notes for one in standings),
        statuses=list(dict.fromkeys(tally.key for table in tables for tally in table.statuses)),
        made=now.isoformat(timespec="seconds"),
        made_in_words=f"{now.day} {now:%B %Y, %H:%M}",
        version=version("admit-one"),
        style=Markup(style),
        script=Markup(script),
        policy="; ".join(
            [
                "default-src 'none'",
                f"style-src '{_digest(style)}'",
                f"script-src '{_digest(script)}'",
                "base-uri 'none'",
                "form-action 'none'",
            ]
        ),
    )


def _digest(text: str) -> str:
    """For the page's own policy: no other script or style runs on it, and nothing is fetched, whatever a cell holds."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _csv_rows(tables: Sequence[LabTables]) -> Iterator[list[Cell]]:
    """A row for each group of each submission; one row with empty cells where nothing was judged."""
    for table in tables:
        for line in table.lines:
            head = _csv_head(line.standing, line.why)
            if not line.standing.checks:
                yield [*head, *[None] * (len(_COLUMNS) - len(head))]
            for report in line.standing.checks.values():
                for group in report.groups:
                    wrong = group.wrong
                    shown = (wrong.called, wrong.expected, wrong.got) if wrong else ("", "", "")
                    counts = (group.points, group.max_points, group.right, group.cases)
                    tells = ("", "") if group.is_right else (report.misconception or "", report.hint)
                    yield [*head, report.title, group.title, *counts, *shown, *tells]


def _csv_head(one: Standing, why: str) -> list[Cell]:
    mark, when = one.mark, one.handed_in.isoformat() if one.handed_in else None
    return [
        *(mark.student, one.name, mark.lab_id, mark.status, number(mark.points), number(mark.max_points)),
        *(why, when, "; ".join(one.notes)),
    ]
