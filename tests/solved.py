"""Runs a solved notebook's cells in a plain namespace, so that tests use the one reference solution there is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from grader.made_up import fill
from grader.solved import namespace_of, read_solved

ROOT = Path(__file__).resolve().parent.parent


@cache
def solved_notebook(lab_id: str) -> Any:
    """The solved notebook of a lab; it is read once, so change only copies of it."""
    return read_solved(ROOT, lab_id)


def solved_namespace(lab_id: str, cells: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the solved notebook defines, with ``cells`` (by grade_id) put in place of its own."""
    return namespace_of(fill(solved_notebook(lab_id), cells or {}))
