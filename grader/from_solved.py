"""Data files that are made from a solved notebook, so that no rule is written twice."""

from __future__ import annotations

import runpy
from pathlib import Path

from grader.course import MAKE_DATA
from workshop.lab import all_labs


def files_from_solved(root: Path) -> dict[str, str]:
    """The texts as they must be, by their path below ``root``: what each lab's make_data.py makes.

    That program stands beside the solved notebook and has a function ``make_data(root) -> {file name: text}``, for
    files of the lab's folder in fixtures/.
    """
    files: dict[str, str] = {}
    for lab in all_labs(root):
        program = root / "solutions" / lab.id / MAKE_DATA
        if program.is_file():
            made: dict[str, str] = runpy.run_path(str(program))["make_data"](root)
            files |= {f"fixtures/{lab.id}/{name}": text for name, text in made.items()}
    return files
