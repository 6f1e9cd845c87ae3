"""A course of its own: a copy of the data of two labs, with a marker in everything hidden."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from grader.course import Course
from grader.solved import dump, read_solved, solved_path
from tests.hostile.attacks import LAB1, LAB4
from tests.solved import ROOT
from workshop.lab import all_labs

MARKER = "XYZZY-HIDDEN-MARKER"


def plant(root: Path) -> None:
    """Put the marker into every hidden case, design note and reference solution below ``root``."""
    for path in root.glob("solutions/*/hidden_cases.json"):
        table = json.loads(path.read_text(encoding="utf-8"))
        for rows in table.values():
            for row in rows:
                row["what"] += MARKER
                row["input"]["note"] = MARKER
        path.write_text(json.dumps(table), encoding="utf-8")
    for path in root.glob("solutions/*/design.md"):
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{MARKER}\n", encoding="utf-8")
    for lab in all_labs(root):
        notebook = read_solved(root, lab.id)
        for cell in notebook.cells:
            cell.source = cell.source.replace("### BEGIN SOLUTION", f"### BEGIN SOLUTION\n    # {MARKER}")
        solved_path(root, lab.id).write_text(dump(notebook), encoding="utf-8")


def copy_course(folder: Path) -> Course:
    """The data of labs 1 and 4 below ``folder``, as a fresh clone has it."""
    for name in ("permits", *(f"{kind}/{lab_id}" for kind in ("fixtures", "solutions") for lab_id in (LAB1, LAB4))):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return Course(folder)
