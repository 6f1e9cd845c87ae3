"""Runs a solved notebook's cells in a plain namespace, so that tests use the one reference solution there is."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

from grader.made_up import fill
from grader.plan import RunCell, make_plan

ROOT = Path(__file__).resolve().parent.parent


@cache
def solved_notebook(lab_id: str) -> Any:
    """The solved notebook of a lab; it is read once, so change only copies of it."""
    return nbformat.read(ROOT / "solutions" / lab_id / f"{lab_id}.ipynb", as_version=4)


def solved_namespace(lab_id: str, cells: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the solved notebook defines, with ``cells`` (by grade_id) put in place of its own.

    Cells that only show and cells that check are left out, as the grader leaves them out. What the others print is
    not shown.
    """
    notebook = fill(solved_notebook(lab_id), cells or {})
    namespace: dict[str, Any] = {"__name__": lab_id}
    with redirect_stdout(io.StringIO()):
        for step in make_plan(notebook):
            if isinstance(step, RunCell):
                exec(compile(step.source, f"<{lab_id} cell {step.index}>", "exec", dont_inherit=True), namespace)
    return namespace
