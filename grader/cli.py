"""The command line, admit-one: its entry, and the commands up to grading; cli_marks.py has those after it."""

from __future__ import annotations

import gc
import json
import os
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from grader import cli_marks
from grader.console import (
    AsJson,
    LabNames,
    UsageError,
    choose_labs,
    counted,
    err,
    fail,
    find_root,
    find_whole_root,
    out,
    plain,
    progress_bar,
    short_names,
)
from grader.quick_start import leave_out_slow_imports
from stub_server.address import HOST, PORT
from stub_server.errors import Mendable
from workshop.lab import LabNotFound, all_labs

if TYPE_CHECKING:
    from grader.classroom import Row

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Labs on bounding the tool calls of an LLM agent: open, release, grade, hand marks out, rehearse.",
)
app.add_typer(cli_marks.app)
NoSandbox = Annotated[bool, typer.Option("--no-sandbox", help="Run student code unisolated: I trust this code.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Notebooks graded side by side.")]


def main() -> None:
    """Run the command line; what a user can mend is one line on stderr and exit code 1 (2 for wrong usage)."""
    leave_out_slow_imports()
    try:
        app()
    except (LabNotFound, UsageError) as wrong:
        fail(str(wrong), code=2)
    except Mendable as fault:
        fail(str(fault), code=1)
    except Exception as bug:
        if os.environ.get("ADMIT_ONE_TRACEBACK"):
            raise
        fail(f"a fault of ours: {type(bug).__name__}: {bug}; set ADMIT_ONE_TRACEBACK=1 to see where", code=1)
    finally:
        gc.freeze()  # or Python would look through all that is loaded once more when it ends


@app.command(epilog="Example: admit-one lab 1")
def lab(
    name: Annotated[str, typer.Argument(help="The lab, by number or name.")] = "1",
    port: Annotated[int, typer.Option(help="JupyterLab's port; the timing board remembers its state by it.")] = 8890,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser; print the lab's address.")] = False,
) -> None:
    """Open a lab in JupyterLab and print its address. Where a lab needs the stub server, its notebook starts it."""
    from grader.jupyterlab import open_in_jupyterlab

    root = find_root()
    chosen = choose_labs(root, [name])[0]

    def say(address: str) -> None:
        typer.echo(f"Lab {chosen.number}: {address}  (Ctrl-C ends it)")

    sys.exit(open_in_jupyterlab(root, chosen, port, with_browser=not no_browser, on_ready=say))


@app.command(epilog="Example, for a classroom: admit-one stub --host 192.0.2.7 --room-token TOKEN --students ids.txt")
def stub(
    host: Annotated[str, typer.Option(help="The address to listen on; one open to others needs --room-token.")] = HOST,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")] = PORT,
    decide: Annotated[Path | None, typer.Option(help="A Python file with decide(payload, store), for /tool.")] = None,
    log: Annotated[Path | None, typer.Option(help="A file to add each request to, as a line of JSON.")] = None,
    store: Annotated[Path | None, typer.Option(help="An SQLite file that keeps the ledger over a restart.")] = None,
    scenario: Annotated[str | None, typer.Option(help="Scripted faults to play, by name.")] = None,
    room_token: Annotated[str | None, typer.Option(help="What each request must bring as Bearer token.")] = None,
    students: Annotated[Path | None, typer.Option(help="A file of the ids that may post, one a line.")] = None,
    fair_share: Annotated[str | None, typer.Option(metavar="N/hour", help="Posts a student may make an hour.")] = None,
) -> None:
    """Run the stub server alone until Ctrl-C."""
    import stub_server

    stub_server.serve_forever(
        host,
        port,
        decide_file=decide,
        log_file=log,
        store_file=store,
        scenario=scenario,
        room_token=room_token,
        students_file=students,
        fair_share=fair_share,
    )


@app.command(epilog="Example: admit-one doctor")
def doctor(as_json: AsJson = False) -> None:
    """Say what is missing on this machine, why it matters, and what mends it."""
    from grader.doctor import examine

    findings = examine(find_root())
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        table = Table("", "What", "Found", "To mend it")
        for finding in findings:
            mark = "ok" if finding.is_well else "MISSING" if finding.is_needed else finding.else_called
            table.add_row(mark, finding.what, finding.detail, "" if finding.is_well else finding.remedy)
        out.print(table)
    if any(finding.is_needed and not finding.is_well for finding in findings):
        sys.exit(1)


@app.command(epilog="Example: admit-one release --check")
def release(
    labs: LabNames = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; say what is out of step.")] = False,
    run: Annotated[bool, typer.Option("--run", help="Run the solved notebooks first and store their outputs.")] = False,
) -> None:
    """Make notebooks/ from solutions/ and register the labs in the gradebook."""
    from grader.course import Course
    from grader.release import find_differences, release_anew, scratch_folder

    root = find_whole_root()
    chosen = choose_labs(root, labs)
    if check:
        with scratch_folder() as scratch:
            differences = find_differences(root, scratch)
        for difference in differences:
            out.print(f"{difference}; mend it with: admit-one release", markup=False)
        if differences:
            sys.exit(1)
        out.print("notebooks/ and solutions/ are in step with lab.toml.")
        return
    course = Course.at(root)
    written: list[str] = []
    with progress_bar(tell_phases=True) as report:
        report("Releasing", 0, len(chosen))
        for number, one in enumerate(chosen, start=1):
            written += release_anew(course, one, run=run)
            report("Releasing", number, len(chosen))
    for name in written:
        out.print(f"wrote {name}", markup=False)
    count = counted(len(chosen), "lab is", "labs are")
    out.print(f"{'' if written else 'No file had to change. '}{count} registered in the gradebook.", markup=False)


@app.command(epilog="Example: admit-one collect ~/Downloads/submissions.zip")
def collect(
    inbox: Annotated[
        Path, typer.Argument(exists=True, help="A folder or zip: packets or notebooks, or an LMS export.")
    ],
    as_json: AsJson = False,
) -> None:
    """Put hand-ins into course/submitted/, each under its student and lab.

    Name each folder, zip or notebook after its student: ann/any name.ipynb, ann.zip, ann.ipynb, ann_lab1.ipynb.
    Canvas's and Moodle's own names do as they are. The lab is told by the cells in the notebook.
    """
    from grader.collect import collect as take
    from grader.course import Course

    root = find_root()
    done = list(take(Course.at(root), all_labs(root), inbox))
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in done], indent=1))
    else:
        for one in done:
            if one.outcome == "refused":
                out.print(f"refused {plain(one.source)}: {plain(one.why)}")
            elif one.outcome == "left_out":
                out.print(f"left out {plain(one.source)}: {one.why}")
            elif one.outcome == "replaced":
                out.print(f"replaced what {plain(one.student)} had handed in for {one.lab_id}")
        names = ("taken", "replaced", "same", "refused", "left_out")
        counts = {name.replace("_", " "): sum(one.outcome == name for one in done) for name in names}
        out.print(", ".join(f"{count} {name}" for name, count in counts.items()))
    has_taken = {one.student for one in done if one.is_taken}
    nothing_of = any(one.outcome == "left_out" and one.student not in has_taken for one in done)
    if not done or nothing_of or any(one.outcome == "refused" for one in done):
        fail("not everything could be taken; the lines above say why" if done else "no notebook in there", code=1)


@app.command(epilog="Example: admit-one grade 4 --workers 2")
def grade(
    labs: LabNames = None,
    workers: Workers = 2,
    resume: Annotated[bool, typer.Option(help="Leave what is graded already as it is, or grade all anew.")] = True,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Grade on a Dask cluster, for instance tcp://host:8786.")
    ] = None,
    no_sandbox: NoSandbox = False,
    as_json: AsJson = False,
) -> None:
    """Grade what is in course/submitted/ into nbgrader's gradebook; what is graded already is left as it is."""
    from grader.course import Course
    from grader.hand_ins import find_submissions
    from grader.pool import open_pool
    from grader.writer import writer_process

    root = find_root()
    course = Course.at(root)
    submissions = find_submissions(course, [one.id for one in choose_labs(root, labs)])
    if not submissions:
        raise UsageError("nothing to grade: put notebooks into course/submitted/STUDENT/LAB/LAB.ipynb first")
    try:
        lab_ids = list(dict.fromkeys(one.lab_id for one in submissions))
        with ExitStack() as stack:
            records = stack.enter_context(writer_process(course, lab_ids))  # before anything starts a thread
            pool = stack.enter_context(open_pool(course, lab_ids, workers=workers, dask=dask, sandbox=not no_sandbox))
            report = stack.enter_context(progress_bar())
            from grader.classroom import grade_with

            rows = grade_with(pool, course, submissions, records=records, resume=resume, progress=report)
    except KeyboardInterrupt:
        again = "the same command again" if resume else "it again without --no-resume"
        fail(f"stopped: what is graded is kept; run {again} to go on", code=130)
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        table, names = _class_table(), short_names(root)
        for row in rows:
            table.add_row(*_class_cells(row, names))
        out.print(table)
        for row in rows:
            if row.status == "could_not_grade":
                out.print(f"{plain(row.student)} in {names[row.lab_id]}: {plain(row.first_wrong)}")
        failed, missing = (sum(row.status == status for row in rows) for status in ("could_not_grade", "not_submitted"))
        new = sum(row.is_new and row.status != "could_not_grade" for row in rows)
        before = len(rows) - new - missing - failed
        out.print(f"{new} graded now, {before} were graded already, {missing} not submitted.")
    if failed := sum(row.status == "could_not_grade" for row in rows):
        flagged = sum(row.status == "could_not_grade" and row.is_new for row in rows)
        who = counted(failed, "has no mark, through no fault of theirs", "have no mark, through no fault of theirs")
        fail(f"{who}: could not be graded, {flagged} flagged for manual grading", code=1)


@app.command(epilog="Example: admit-one check --write")
def check(
    labs: LabNames = None,
    write: Annotated[bool, typer.Option("--write", help="Write what the matrix generates, then check.")] = False,
    repeat: Annotated[int, typer.Option(min=1, help="Grade the matrix as many times: the bytes must be the same.")] = 1,
    workers: Workers = 2,
    as_json: AsJson = False,
) -> None:
    """Check the kit itself: stubs red, solutions green, each mistake caught and named, everything generated in step."""
    from grader.consistency import examine
    from grader.launcher import open_launcher
    from grader.matrix import summarise

    root = find_whole_root()
    commands = list(typer.main.get_group(app).commands)
    with open_launcher(root, sandbox=True, workers=workers) as launch, progress_bar(tell_phases=True) as report:
        chosen = choose_labs(root, labs)
        found = examine(root, chosen, commands, launch, workers=workers, write=write, repeat=repeat, progress=report)
    rows = summarise(found.entries)
    if as_json:
        faults = [asdict(fault) for fault in found.faults]
        labs_found = [asdict(row) for row in rows]
        typer.echo(json.dumps({"labs": labs_found, "faults": faults, "written": found.written}, indent=1))
    else:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("Lab", "Stub", "Solution", "Wrong ones caught", "told their mistake", "Right ones"):
            table.add_column(name)
        for row in rows:
            table.add_row(short_names(root)[row.lab], *row.cells)
        out.print(table)
        for name in found.written:
            out.print(f"wrote {name}", markup=False)
        for fault in found.faults:
            out.print(f"{fault.file}: {fault.what}; {fault.mend}", markup=False)
        out.print(f"{counted(len(found.faults), 'fault', 'faults')}." if found.faults else "No faults.")
    if found.faults:
        sys.exit(1)


@app.command(epilog="Example: admit-one rehearse")
def rehearse(workers: Workers = 2, as_json: AsJson = False) -> None:
    """Grade a made-up class on every lab, and say whether each got exactly the marks and status it must."""
    from grader.launcher import open_launcher
    from grader.rehearsal import rehearsal_course
    from grader.rehearsal import rehearse as run_rehearsal
    from grader.sandbox_trouble import SandboxUnavailable

    root = find_whole_root()
    with ExitStack() as stack:
        try:
            launch = stack.enter_context(open_launcher(root, sandbox=True, workers=workers))
        except SandboxUnavailable as missing:
            err.print(f"{missing}\nThe made-up class is the kit's own code: it goes on without.", markup=False)
            launch = stack.enter_context(open_launcher(root, sandbox=False))
        report = stack.enter_context(progress_bar(tell_phases=True))
        outcomes = run_rehearsal(root, launch, workers=workers, progress=report)
    course = rehearsal_course(root)
    pages = sum(outcome.has_page for outcome in outcomes)
    faults = sum(not outcome.is_as_expected for outcome in outcomes) + len(outcomes) - pages
    if as_json:
        rows = [{**asdict(outcome.row), "is_as_expected": outcome.is_as_expected} for outcome in outcomes]
        typer.echo(json.dumps(rows, indent=1))
    else:
        table, names = _class_table("OK"), short_names(root)
        for outcome in outcomes:
            table.add_row(*_class_cells(outcome.row, names, "yes" if outcome.is_as_expected else "NO"))
        out.print(table)
        for outcome in outcomes:
            row, part = outcome.row, outcome.part
            if not outcome.is_as_expected:
                out.print(
                    f"NO: {row.student} in {names[row.lab_id]} must get {part.points} and be {part.status};"
                    f" it got {row.points} and is {row.status}, and the gradebook has {outcome.recorded}"
                )
        out.print(f"{len(outcomes)} submissions, {faults} not as expected; {pages} feedback pages.")
        out.print(f"Feedback pages: {course.feedback.relative_to(root)}")
        out.print(f"Class report: {course.report.relative_to(root)}")
    if faults:
        sys.exit(1)


def _class_table(*more: str) -> Table:
    """The columns of a class, a line for each row: what went wrong is cut where the terminal ends."""
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    table.add_column("Student", no_wrap=True, overflow="ellipsis", max_width=24)
    for name in ("Lab", "Points", "Status", *more):
        table.add_column(name, no_wrap=True, justify="right" if name == "Points" else "left")
    table.add_column("First thing wrong", no_wrap=True, overflow="ellipsis", ratio=1)
    return table


def _class_cells(row: Row, names: dict[str, str], *more: str) -> tuple[str, ...]:
    points = "–" if row.points is None else str(row.points)
    return plain(row.student), names[row.lab_id], points, row.status, *more, plain(row.first_wrong)


if __name__ == "__main__":
    main()
