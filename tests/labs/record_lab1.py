"""Writes lab 1's recorded budgets from its solved notebook: python -m tests.labs.record_lab1."""

from __future__ import annotations

import json
from typing import Any

from grader.drivers.recorded import record
from tests.solved import solved_namespace
from workshop.lab import Lab

LAB = "lab1_fanout_replay"
FILE = "recorded_budgets.json"


def recorded_budgets() -> dict[str, Any]:
    """The right budget under the printed permit, and one that admits everything and counts nothing."""
    permit = Lab.find(LAB).read_permit("lab.json")
    fresh = {"total_calls": 0, "per_tool": {}, "depth": 0}
    admits_all = {"permit": permit, "states": [{**fresh, "moves": {"*": ["admit>0"]}}]}
    # Depth 3 is the first past max_depth 2: it stands for all deeper ones.
    return {"right": record(solved_namespace(LAB)["Budget"], permit, depths=(1, 2, 3)), "admits_all": admits_all}


def as_text(recordings: dict[str, Any]) -> str:
    """JSON with one state a line."""
    parts = []
    for name, recording in recordings.items():
        states = ",\n      ".join(json.dumps(state) for state in recording["states"])
        permit = json.dumps(recording["permit"])
        parts.append(f'  "{name}": {{\n    "permit": {permit},\n    "states": [\n      {states}\n    ]\n  }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    (Lab.find(LAB).data / FILE).write_text(as_text(recorded_budgets()), encoding="utf-8")
