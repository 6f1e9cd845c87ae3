"""Makes lab 1's recorded budgets from its solved notebook; admit-one check --write runs this."""

import json
from pathlib import Path

from grader.solved import namespace_of, read_solved
from workshop.recorded import RECORDED_BUDGETS, record


def make_data(root: Path) -> dict[str, str]:
    """What the right budget decides under the printed permit, and one that admits all and counts nothing.

    JSON with one state a line, for workshop.recorded to play back.
    """
    permit = json.loads((root / "permits" / "lab.json").read_text(encoding="utf-8"))
    fresh = {"total_calls": 0, "per_tool": {}, "depth": 0}
    budget = namespace_of(read_solved(root, "lab1_fanout_replay"))["Budget"]
    recordings = {
        # Depth 3 is the first past max_depth 2: it stands for all deeper ones.
        "right": record(budget, permit, depths=(1, 2, 3)),
        "admits_all": {"permit": permit, "states": [{**fresh, "moves": {"*": ["admit>0"]}}]},
    }
    parts = []
    for name, recording in recordings.items():
        states = ",\n      ".join(json.dumps(state) for state in recording["states"])
        shown = json.dumps(recording["permit"])
        parts.append(f'  "{name}": {{\n    "permit": {shown},\n    "states": [\n      {states}\n    ]\n  }}')
    return {RECORDED_BUDGETS: "{\n" + ",\n".join(parts) + "\n}\n"}
