"""What of a notebook is run and asked, in order: its cells, and its grading cells as questions."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from stub_server.errors import Mendable

SHOW_TAG = "show"
"""Cells with this tag only show (plots, widgets, simulations) and are skipped when grading, unless a name is theirs."""


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


_LONGEST_CELL, _MOST_TEXT = 8_000, 100_000
"""Characters of a cell, and of a notebook, whose names are looked for: the time that takes grows with their square."""

Step = RunCell | AskCheck


def make_plan(notebook: Any) -> tuple[Step, ...]:
    """The steps of a notebook whose grading cells are the released ones.

    A student may use a name that only a cell which shows gives: it works in the notebook, so that cell is run too.
    """
    steps: list[Step] = []
    skipped = _cells_that_only_show(notebook.cells)
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or index in skipped:
            continue
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("grade"):
            check_id, names = read_check_call(cell.source)
            steps.append(AskCheck(index, nbgrader["grade_id"], check_id, names))
        else:
            steps.append(RunCell(index, cell.id, cell.source))
    return tuple(steps)


def _cells_that_only_show(cells: Sequence[Any]) -> set[int]:
    """The indices of cells with the tag, but for those that give a name which a cell that is run needs."""
    code: dict[int, _Names] = {}
    left = _MOST_TEXT
    for index, cell in enumerate(cells):
        if cell.cell_type != "code":
            continue
        code[index] = _NO_NAMES
        if len(cell.source) <= min(left, _LONGEST_CELL):
            left -= len(cell.source)
            code[index] = _names(cell.source)
    shows = {index for index in code if SHOW_TAG in cells[index].metadata.get("tags", ())}
    while True:
        given = {name for index in code.keys() - shows for name in code[index].given}
        wanted = {name for index in code.keys() - shows for name in code[index].used} - given
        needed = {index for index in shows if wanted & code[index].given}
        if not needed:
            return shows
        shows -= needed


@dataclass(frozen=True)
class _Names:
    """The global names that a cell gives (binds) and those that it uses, its functions' included."""

    given: frozenset[str]
    used: frozenset[str]


_NO_NAMES = _Names(frozenset(), frozenset())


@lru_cache(maxsize=256)  # most cells are the same in every submission
def _names(source: str) -> _Names:
    try:
        table = symtable.symtable(source, "cell", "exec")
        used = frozenset(_globals_used(table))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a magic, or no Python: it is run as it is
        return _NO_NAMES
    given = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    return _Names(frozenset(given), used)


def _globals_used(table: symtable.SymbolTable) -> Iterator[str]:
    is_top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_top or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _globals_used(inner)


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
