"""Made-up students: the cells a wrong or a right solution fills in, and the notebook that comes of it."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stub_server.errors import Mendable

_CELL = re.compile(r"^# cell: (\S+)$", re.MULTILINE)
_HEADER = re.compile(r"^# (loses|hint): (.*)$", re.MULTILINE)


class MadeUpInvalid(Mendable):
    """A file of made-up cells cannot be used: the message names what is wrong with it."""


@dataclass(frozen=True)
class MadeUp:
    """What one made-up student writes: ``cells`` holds the source by grade_id.

    ``loses`` are the groups whose points it must lose, ``hint`` the misconception that feedback must name first.
    """

    name: str
    cells: dict[str, str]
    loses: tuple[str, ...]
    hint: str | None


def read_cells(path: Path) -> MadeUp:
    """Read a file of ``# cell: GRADE_ID`` parts under a header of ``# loses:`` and ``# hint:`` lines."""
    head, *parts = _CELL.split(path.read_text(encoding="utf-8"))
    if not parts:
        raise MadeUpInvalid(f"{path}: no '# cell: GRADE_ID' line")
    header = dict(_HEADER.findall(head))
    return MadeUp(
        name=path.stem,
        cells={grade_id: source.strip("\n") for grade_id, source in zip(parts[::2], parts[1::2], strict=True)},
        loses=tuple(group.strip() for group in header.get("loses", "").split(",") if group.strip()),
        hint=header.get("hint", "").strip() or None,
    )


def read_folder(root: Path, kind: str, lab_id: str) -> list[MadeUp]:
    """The made-up solutions of a lab, by name; ``kind`` is ``mutants`` (wrong) or ``variants`` (right)."""
    return [read_cells(path) for path in sorted((root / "tests" / kind / lab_id).glob("*.py"))]


def solution_cells(notebook: Any) -> dict[str, str]:
    """The cells to fill in, by grade_id: the reference solution's where ``notebook`` is the solved one."""
    return {
        cell.metadata.nbgrader["grade_id"]: cell.source
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def fill(released: Any, cells: Mapping[str, str]) -> Any:
    """A copy of the notebook with ``cells`` in its cells to fill in; raises MadeUpInvalid for an unknown grade_id."""
    unknown = set(cells) - set(solution_cells(released))
    if unknown:
        raise MadeUpInvalid(f"no cell to fill in is called {', '.join(sorted(unknown))}")
    filled = copy.deepcopy(released)
    for cell in filled.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in cells:
            cell.source = cells[grade_id]
    return filled
