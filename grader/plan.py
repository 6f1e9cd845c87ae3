"""What of a notebook is run and asked, in order: its cells, and its grading cells as questions."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from stub_server.errors import Mendable

SHOW_TAG = "show"
"""Cells with this tag only show (plots, widgets, simulations) and are skipped when grading."""


class NotACheck(Mendable):
    """A grading cell is not one call check("id", name, ...): the released notebook is at fault."""


@dataclass(frozen=True)
class RunCell:
    """Run the cell at ``index`` of the notebook; ``name`` is its id."""

    index: int
    name: str
    source: str


@dataclass(frozen=True)
class AskCheck:
    """Ask the check of the grading cell at ``index`` about the notebook's objects called ``names``."""

    index: int
    grade_id: str
    check_id: str
    names: tuple[str, ...]


Step = RunCell | AskCheck


def make_plan(notebook: Any) -> tuple[Step, ...]:
    """The steps of a notebook whose grading cells are the released ones."""
    steps: list[Step] = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or SHOW_TAG in cell.metadata.get("tags", ()):
            continue
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("grade"):
            check_id, names = read_check_call(cell.source)
            steps.append(AskCheck(index, nbgrader["grade_id"], check_id, names))
        else:
            steps.append(RunCell(index, cell.id, cell.source))
    return tuple(steps)


def read_check_call(source: str) -> tuple[str, tuple[str, ...]]:
    """``check("lab1.counting", Budget)`` as ("lab1.counting", ("Budget",)); raises NotACheck for anything else."""
    try:
        body = ast.parse(source).body
    except SyntaxError as problem:
        raise NotACheck(f"a grading cell does not parse: {problem}") from problem
    call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "check"):
        raise NotACheck(f"a grading cell must be one call of check, not {source!r}")
    match call.args:
        case [ast.Constant(value=str(check_id)), *rest] if not call.keywords:
            names = tuple(argument.id for argument in rest if isinstance(argument, ast.Name))
            if names and len(names) == len(rest):
                return check_id, names
    raise NotACheck(f"check takes an id and at least one bare name, not {source!r}")
