"""The commands that hand marks out: feedback pages for students, the class report, files for a gradebook elsewhere."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.console import (
    AsJson,
    LabNames,
    UsageError,
    choose_labs,
    complain,
    counted,
    fail,
    find_root,
    out,
    plain,
    progress_bar,
    short_names,
)
from grader.lms import LMS

if TYPE_CHECKING:
    from grader.course import Course
    from grader.marks import Mark

app = typer.Typer()


FORMATS = ("csv", *LMS)
"""What marks can be exported as."""


@app.command(epilog="Example: admit-one export --format canvas 1 2 --roster canvas_export.csv -o marks.csv")
def export(
    labs: LabNames = None,
    kind: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="A plain CSV, or what an LMS imports.")
    ] = "csv",
    file: Annotated[Path | None, typer.Option("--output", "-o", help="The file; else one in course/.")] = None,
    roster: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The gradebook that the LMS exported, as CSV.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write marks, each with its status, to a file. What was not judged has no mark there, and is never 0."""
    from grader.course import Course
    from grader.export import plain_sheet, write
    from grader.lms_sheet import lms_sheet
    from grader.roster import read_roster

    if kind not in FORMATS:
        raise UsageError(f"no format {kind!r}; there are {', '.join(FORMATS)}")
    root = find_root()
    course = Course.at(root)
    lms = LMS.get(kind)
    if roster and lms is None:
        raise UsageError("--roster is for canvas and moodle: a plain CSV names students as the course does")
    path = file or root / course.work / ("marks.csv" if lms is None else f"marks_{kind}.csv")
    marks = _read_marks(course, labs)
    sheets = {path: plain_sheet(marks)}
    if lms is not None:
        known = read_roster(roster, lms) if roster else None
        handed_in = [lab for lab in choose_labs(root, labs) if any(mark.lab_id == lab.id for mark in marks)]
        sheets = {path: lms_sheet(lms, marks, handed_in, known), path.with_stem(f"{path.stem}_status"): sheets[path]}
    if roster and any(name.exists() and name.samefile(roster) for name in sheets):
        raise UsageError("that would write over the roster: give another name with -o")
    missing = [mark for mark in marks if mark.is_missing]
    left_out = sheets[path].left_out
    replaced = {name: write(sheet, name) for name, sheet in sheets.items()}
    if as_json:
        files, rows = [str(name) for name in sheets], [asdict(mark) for mark in marks]
        typer.echo(json.dumps({"files": files, "notes": sheets[path].notes, "marks": rows}, indent=1))
    else:
        for note in sheets[path].notes:
            out.print(plain(note))
        for why, names in _to_look_at(marks, short_names(root)).items():
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            out.print(plain(f"look at {', '.join(names[:5])}{more}: {why}"))
        for name, is_replaced in replaced.items():
            out.print(f"{'replaced' if is_replaced else 'wrote'} {name}", markup=False)
    faults = []
    if missing:
        faults.append(_without_mark(len(missing)))
    if left_out:
        faults.append(counted(len(left_out), "mark found no line", "marks found no line"))
    if faults:
        complain(f"{' and '.join(faults)}; all others are written")
    if lms is not None and not as_json:
        out.print(f"Now {lms.how}.", markup=False)
    if faults:
        sys.exit(1)


@app.command(epilog="Example: admit-one feedback 4")
def feedback(labs: LabNames = None, as_json: AsJson = False) -> None:
    """Write nbgrader's feedback page for each submission that was graded, into course/feedback/."""
    from grader.course import Course
    from grader.feedback_pages import write_pages

    course = Course.at(find_root())
    marks = _read_marks(course, labs)
    with progress_bar() as report:
        pages = write_pages(course, marks, report)
    without = [page for page in pages if page.trouble]
    if as_json:
        typer.echo(json.dumps([asdict(page) for page in pages], indent=1))
    else:
        for page in without:
            out.print(plain(f"no page for {page.student}, {page.lab_id}: {page.trouble}"))
        replaced = sum(page.is_replaced for page in pages)
        count = counted(len(pages) - len(without), "feedback page", "feedback pages")
        out.print(f"{count}, {replaced} in the place of older ones: {course.feedback}", markup=False)
    if without:
        fail(f"{len(without)} of {counted(len(pages), 'submission has', 'submissions have')} no page", code=1)


@app.command(epilog="Example: admit-one report -o report.html")
def report(
    labs: LabNames = None,
    file: Annotated[Path | None, typer.Option("--output", "-o", help="The file; else course/report.html.")] = None,
) -> None:
    """Write the class report: one HTML file that needs nothing else, and a CSV beside it."""
    from grader.course import Course
    from grader.report import write_report

    course = Course.at(find_root())
    path = file or course.report
    if path.suffix not in (".html", ".htm"):
        raise UsageError("the report is a page: give -o a name that ends in .html; a CSV comes beside it")
    with progress_bar() as progress:
        written = write_report(course, choose_labs(course.root, labs), path, progress)
    for tally in written.look:
        out.print(plain(f"{counted(len(tally.who), 'needs', 'need')} a look, {tally.key}: {tally.text}"))
    for name, is_replaced in written.files.items():
        out.print(f"{'replaced' if is_replaced else 'wrote'} {name}", markup=False)
    if written.missing:
        fail(f"{_without_mark(written.missing)}; the report names them", code=1)


def _without_mark(count: int) -> str:
    return f"{counted(count, 'handed in and has', 'handed in and have')} no mark, through no fault of theirs"


def _read_marks(course: Course, labs: list[str] | None) -> list[Mark]:
    from grader.marks import read_marks

    return read_marks(course, choose_labs(course.root, labs))


def _to_look_at(marks: list[Mark], labs: dict[str, str]) -> dict[str, list[str]]:
    """Who needs a look, by the reason."""
    found: dict[str, list[str]] = {}
    for mark in marks:
        if mark.needs_a_look:
            why = f"{mark.status}, {mark.needs_a_look}"
            found.setdefault(why, []).append(f"{mark.student} in {labs[mark.lab_id]}")
    return found
