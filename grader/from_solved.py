"""Data files that are made from a solved notebook, so that no rule is written twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grader.drivers.recorded import record
from grader.made_up import solution_cells
from grader.solved import namespace_of, read_solved
from workshop.permit import COUNTING_GATES

LAB1, LAB2 = "lab1_fanout_replay", "lab2_fail_closed_permit"
RECORDED_BUDGETS = f"fixtures/{LAB1}/recorded_budgets.json"
COUNTING_GATES_FILE = f"fixtures/{LAB2}/{COUNTING_GATES}"
_GATES_HEAD = '''"""Lab 1's counting gates, generated from its solved notebook: admit-one check --write."""

from workshop.budget import ToolBudget


'''
_MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


def files_from_solved(root: Path) -> dict[str, str]:
    """The texts as they must be, by their path below ``root``; of the labs that are there."""
    solved1 = root / "solutions" / LAB1
    files = {RECORDED_BUDGETS: recorded_budgets, COUNTING_GATES_FILE: counting_gates}
    return {name: make(root) for name, make in files.items() if solved1.is_dir() and (root / name).parent.is_dir()}


def recorded_budgets(root: Path) -> str:
    """Lab 1: what the right budget decides under the printed permit, and one that admits all and counts nothing.

    JSON with one state a line, for grader.drivers.recorded to play back.
    """
    permit = json.loads((root / "permits" / "lab.json").read_text(encoding="utf-8"))
    fresh = {"total_calls": 0, "per_tool": {}, "depth": 0}
    budget = namespace_of(read_solved(root, LAB1))["Budget"]
    recordings: dict[str, Any] = {
        # Depth 3 is the first past max_depth 2: it stands for all deeper ones.
        "right": record(budget, permit, depths=(1, 2, 3)),
        "admits_all": {"permit": permit, "states": [{**fresh, "moves": {"*": ["admit>0"]}}]},
    }
    parts = []
    for name, recording in recordings.items():
        states = ",\n      ".join(json.dumps(state) for state in recording["states"])
        shown = json.dumps(recording["permit"])
        parts.append(f'  "{name}": {{\n    "permit": {shown},\n    "states": [\n      {states}\n    ]\n  }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def counting_gates(root: Path) -> str:
    """Lab 2: lab 1's solved cell, word for word, under a line that says where it comes from."""
    lines = solution_cells(read_solved(root, LAB1))["budget"].splitlines()
    return _GATES_HEAD + "\n".join(line for line in lines if line.strip() not in _MARKS) + "\n"
