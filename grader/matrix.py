"""The matrix: every made-up student of every lab, graded on the real way, against what must come of it (spec 4).

Real means from the bytes of a notebook to the result that nbgrader records (grader.submission), in the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from grader.course import Course
from grader.exam import read_exam
from grader.launch import Launch
from grader.made_up import MadeUp, fill, read_folder, solution_cells
from grader.progress import Progress
from grader.results import Result
from grader.solved import dump, read_solved
from grader.submission import grade_once
from workshop.lab import Lab

STUB, SOLUTION, MUTANT, VARIANT = "stub", "solution", "mutants", "variants"


@dataclass(frozen=True)
class Entrant:
    """A made-up student of one lab, and the notebook handed in. ``kind`` is stub, solution, mutants or variants."""

    lab: Lab
    kind: str
    student: MadeUp
    notebook: Any

    @property
    def name(self) -> str:
        return f"{self.lab.prefix} {self.kind} {self.student.name}"

    @property
    def source(self) -> str:
        """The file, below the repository, that a fault of this entrant is mended in."""
        if self.kind in (STUB, SOLUTION):
            return f"solutions/{self.lab.id}/{self.lab.id}.ipynb"
        return f"tests/{self.kind}/{self.lab.id}/{self.student.name}.py"


@dataclass(frozen=True)
class Entry:
    """An entrant and its result."""

    entrant: Entrant
    result: Result

    @property
    def lost(self) -> tuple[str, ...]:
        """The groups whose points were not earned, in the lab's order."""
        groups = [group for report in self.result.reports.values() for group in report.groups]
        return tuple(group.id for group in groups if not group.cases or group.right < group.cases)

    @property
    def named(self) -> tuple[str, ...]:
        """The misconceptions that feedback names, first to last."""
        reports = self.result.reports.values()
        return tuple(dict.fromkeys(report.misconception for report in reports if report.misconception))

    @property
    def hints(self) -> tuple[str, ...]:
        return tuple(report.hint for report in self.result.reports.values() if report.hint)

    def faults(self) -> Iterator[str]:
        """What of the result is not as it must be, in words."""
        student, result = self.entrant.student, self.result
        if result.status != "graded":
            yield f"has the status {result.status} ({'; '.join(result.notes)}), not graded"
        if set(self.lost) != set(student.loses):
            yield f"loses {_listed(self.lost)}, but must lose {_listed(student.loses)}"
        if student.hint and self.named[:1] != (student.hint,):
            yield f"is told {_listed(self.named)}, but must be told {student.hint}"
        if not student.loses and self.hints:
            yield f"is right, but gets the hint {self.hints[0]!r}"


@dataclass(frozen=True)
class LabSummary:
    """One lab's line of the matrix; a pair is how many are as they must be, of how many."""

    lab: str
    stub_is_red: bool
    solution_is_green: bool
    caught: tuple[int, int]
    named: tuple[int, int]
    variants: tuple[int, int]

    @property
    def cells(self) -> tuple[str, ...]:
        pairs = (f"{good} of {of}" for good, of in (self.caught, self.named, self.variants))
        return "red" if self.stub_is_red else "NOT RED", "green" if self.solution_is_green else "RED", *pairs


def summarise(entries: Sequence[Entry]) -> list[LabSummary]:
    """A line a lab: what is red and green, and how many wrong and right solutions are as they must be."""
    labs = {entry.entrant.lab.id: entry.entrant.lab for entry in entries}
    return [_summary(lab, entries) for lab in labs.values()]


def _summary(lab: Lab, entries: Sequence[Entry]) -> LabSummary:
    def of(kind: str) -> list[Entry]:
        return [entry for entry in entries if entry.entrant.lab.id == lab.id and entry.entrant.kind == kind]

    mutants, variants = of(MUTANT), of(VARIANT)
    return LabSummary(
        lab=lab.id,
        stub_is_red=not any(list(entry.faults()) for entry in of(STUB)),
        solution_is_green=not any(list(entry.faults()) for entry in of(SOLUTION)),
        caught=(sum(set(entry.lost) == set(entry.entrant.student.loses) for entry in mutants), len(mutants)),
        named=(sum(entry.named[:1] == (entry.entrant.student.hint,) for entry in mutants), len(mutants)),
        variants=(sum(not list(entry.faults()) for entry in variants), len(variants)),
    )


def entrants(root: Path, lab: Lab) -> list[Entrant]:
    """The untouched stub, the reference solution, and the lab's made-up wrong and right solutions."""
    released = nbformat.read(root / "notebooks" / lab.id / f"{lab.id}.ipynb", as_version=4)
    solved = fill(released, solution_cells(read_solved(root, lab.id)))
    all_groups = tuple(group.id for check in lab.checks for group in check.groups)
    return [
        Entrant(lab, STUB, MadeUp("untouched", {}, all_groups, None), released),
        Entrant(lab, SOLUTION, MadeUp("solved", {}, (), None), solved),
        *(
            Entrant(lab, kind, student, fill(solved, student.cells))
            for kind in (MUTANT, VARIANT)
            for student in read_folder(root, kind, lab.id)
        ),
    ]


def grade_entrants(
    root: Path, field: Sequence[Entrant], launch: Launch, *, workers: int, progress: Progress = lambda *_: None
) -> list[Entry]:
    """Grade each entrant as a submission, ``workers`` at a time; the entries come in the order of ``field``."""
    course = Course(root)
    exams = {lab_id: read_exam(course, lab_id) for lab_id in {one.lab.id for one in field}}

    def grade(one: Entrant) -> Result:
        return grade_once(dump(one.notebook).encode(), exams[one.lab.id], launch)

    with ThreadPoolExecutor(workers) as pool, all_or_none(pool):  # threads only wait for child processes
        futures = [pool.submit(grade, one) for one in field]
        for done, _ in enumerate(as_completed(futures), start=1):
            progress("Grading", done, len(futures))
    return [Entry(one, future.result()) for one, future in zip(field, futures, strict=True)]


@contextmanager
def all_or_none(pool: Executor) -> Iterator[None]:
    """Left by an exception, Ctrl-C among them: what waits in ``pool`` is not begun. Else leaving it would do it all."""
    try:
        yield
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "nothing"
