"""Changes the reference solutions in small ways and asks the cases to notice: python -m tests.mutation [LAB ...].

Needs ``pip install -e ".[mutation]"``. Takes some minutes; not part of the tests. A change that survives must be
killed by a new case, or stand in tests/mutants/LAB/equivalent.toml with the reason why it is no fault. Exit 1 where
one does neither.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from typing import Any

from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

from grader.bounds import Bounds
from grader.course import Course
from grader.exam import Exam, read_exam
from grader.grading import grade_notebook
from grader.launch import Launch
from grader.launcher import open_launcher
from grader.made_up import fill, solution_cells
from grader.matrix import all_or_none
from tests.mutation.operators import CERTAIN_CONDITION, CHANGED_TEXT, DROPPED_STATEMENT
from tests.solved import ROOT, solved_notebook
from workshop.lab import Lab, all_labs

EQUIVALENT = "equivalent.toml"
_SOLUTION = re.compile(r"### BEGIN SOLUTION.*?### END SOLUTION", re.DOTALL)
BOUNDS = Bounds(cell_s=5, notebook_s=20)
WORKERS = 2


@dataclass(frozen=True)
class Change:
    """One small change to a solution: the cell with it, and the line as it was and as it is."""

    lab: Lab
    cell: str
    source: str
    was: str
    becomes: str

    @property
    def name(self) -> str:
        return f"{self.was}  →  {self.becomes}"


def operators() -> Iterator[Operator]:
    """cosmic-ray's operators that need no arguments, and three of ours for what it does not change."""
    for name in sorted(operator_names()):
        kind = get_operator(name)
        if not kind.arguments():
            yield kind()
    yield from (DROPPED_STATEMENT, CHANGED_TEXT, CERTAIN_CONDITION)


def changes(lab: Lab) -> Iterator[Change]:
    """Every change of what a student fills in that compiles and is not another one's twin."""
    for cell, source in solution_cells(solved_notebook(lab.id)).items():
        seen = {ast.dump(ast.parse(source))}
        given = _SOLUTION.sub("", source)
        for operator in operators():
            for changed in _each(source, operator):
                try:
                    shape = ast.dump(ast.parse(changed))
                except SyntaxError:
                    continue
                if _SOLUTION.sub("", changed) != given:
                    continue
                if shape not in seen:
                    seen.add(shape)
                    yield Change(lab, cell, changed, *_changed_lines(source, changed))


def _each(source: str, operator: Operator) -> Iterator[str]:
    occurrence = 0
    while (changed := mutate_code(source, operator, occurrence)) is not None:
        yield changed
        occurrence += 1


def _changed_lines(source: str, changed: str) -> tuple[str, str]:
    lines = [line for line in difflib.ndiff(source.splitlines(), changed.splitlines()) if line[0] in "+-"]
    was, becomes = (" ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")
    return was, becomes


@cache
def _exam(lab_id: str) -> Exam:
    return read_exam(Course(ROOT), lab_id)


def outcome(notebook: Any, lab: Lab, launch: Launch) -> str:
    """``survives`` where the notebook has full marks, ``noticed`` where not, else what went wrong on our side."""
    graded = grade_notebook(notebook, _exam(lab.id), launch, BOUNDS)
    if graded.status == "could_not_grade":
        return f"could not be graded ({'; '.join(graded.notes)})"
    points = sum(verdict.points for verdict in graded.verdicts.values())
    return "survives" if points == lab.points else "noticed"


def listed(lab: Lab) -> dict[tuple[str, str], str]:
    """Changes that are no fault, by cell and name, with the reason."""
    path = ROOT / "tests" / "mutants" / lab.id / EQUIVALENT
    table = tomllib.loads(path.read_text(encoding="utf-8"))["no_fault"] if path.is_file() else []
    return {(row["cell"], name): row["why"] for row in table for name in row["changes"]}


def examine(lab: Lab, launch: Launch) -> bool:
    """Try every change of one lab and print what came of it; True where nothing is left to do."""
    solved = solved_notebook(lab.id)
    if (unchanged := outcome(solved, lab, launch)) != "survives":
        print(f"{lab.id}: the unchanged solution has no full marks: {unchanged}")
        return False
    tried, known = list(changes(lab)), listed(lab)
    with ThreadPoolExecutor(WORKERS) as pool, all_or_none(pool):
        futures = {
            pool.submit(outcome, fill(solved, {change.cell: change.source}), lab, launch): change for change in tried
        }
        left: dict[tuple[str, str], str] = {}
        for done, future in enumerate(as_completed(futures), start=1):
            if (told := future.result()) != "noticed":
                left[futures[future].cell, futures[future].name] = told
            if sys.stderr.isatty():
                end = "\n" if done == len(tried) else ""
                print(f"\r{lab.id}: {done} of {len(tried)}", end=end, file=sys.stderr)
    fine = {key for key, told in left.items() if told == "survives" and key in known}
    print(f"{lab.id}: {len(tried)} changes; all noticed but {len(left)}, of which {len(fine)} are listed as no faults")
    for cell, name in sorted(set(left) - fine):
        print(f"  {left[cell, name]} in {cell}: {name}")
    for cell, name in sorted(set(known) - fine):
        print(f"  listed in {EQUIVALENT}, but noticed or gone, in {cell}: {name}")
    return fine == set(left) == set(known)


def main() -> None:
    chosen = [
        lab for lab in all_labs(ROOT) if not sys.argv[1:] or {lab.id, lab.prefix, str(lab.number)} & set(sys.argv)
    ]
    with open_launcher(ROOT, sandbox=True) as launch:
        results = [examine(lab, launch) for lab in chosen]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
