"""The hostile class, 1: ways to points without work. What each puts where, and the status and points it must get."""

from __future__ import annotations

from dataclasses import dataclass, field

LAB1, LAB4 = "lab1_fanout_replay", "lab4_stamp_card"


@dataclass(frozen=True)
class Attack:
    """``first`` goes into a cell of the student's own at the top, ``cells`` into cells to fill in.

    ``last`` goes into a cell at the end. The rest of the notebook is as released, or ``solved``. Where it is chance
    how a thing comes to an end, there is more than one ``status``.
    """

    name: str
    lab_id: str
    first: str = ""
    cells: dict[str, str] = field(default_factory=dict)
    last: str = ""
    solved: bool = False
    status: tuple[str, ...] = ("graded",)
    points: int = 0


# Speaks on the control channel out of a case: finds the runner's request on the stack and answers it itself.
FORGED_REPLY = """
import gc, json, sys
from grader.channel import BlockingChannel

def forge(value):
    frame = sys._getframe()
    while frame and frame.f_code.co_name != "serve":
        frame = frame.f_back
    request, control = frame.f_locals["request"], frame.f_locals["control"]
    reply = {"id": request["id"], "kind": "value", "text": json.dumps(value)}
    control.send(json.dumps(reply).encode())
"""

ATTACKS = [
    Attack(
        "an input transformer empties every later cell",
        LAB1,
        first="get_ipython().input_transformers_cleanup.append(lambda lines: [])",
    ),
    Attack(
        "an ast transformer drops asserts and calls",
        LAB1,
        first="""
import ast

class Drop(ast.NodeTransformer):
    def visit_Assert(self, node):
        return None

    def visit_Expr(self, node):
        return ast.Pass()

get_ipython().ast_transformers.append(Drop())
""",
    ),
    Attack(
        "an object that equals everything",
        LAB4,
        cells={
            "canonical-digest": """
class Equal(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = str.__hash__

def canonical_digest(args):
    return Equal("same")
""",
            "fits-schema": "def fits_schema(args):\n    return Equal('yes')",
            "decide": "def decide(payload, store):\n    return Equal('status'), Equal('body')",
            "host-write": "def host_write(tool_json, client):\n    return Equal('written')",
        },
    ),
    Attack(
        "lists and dicts that equal everything",
        LAB1,
        first="""
class EqualList(list):
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False

class EqualInt(int):
    __eq__ = lambda self, other: True
    __hash__ = int.__hash__
""",
        cells={
            "budget": """
class Budget(ToolBudget):
    decisions = EqualList()

    def admit(self, tool, args, *, depth):
        return
""",
            "replay": "def replay(trace, budget, *, by_step=False):\n    return EqualList()",
            "diff": "def diff(a, b):\n    return EqualList([EqualInt(0)])",
        },
    ),
    Attack(
        "json is patched",
        LAB1,
        first="""
import json

json.dumps = lambda *args, **kwargs: "[]"
json.loads = lambda *args, **kwargs: []
json.JSONEncoder.encode = lambda self, value: "[]"
""",
        status=("tampered",),
    ),
    Attack(
        "check is patched",
        LAB1,
        first="""
import grader, grader.check, grader.judge

check = grader.check = grader.check.check = lambda *args: print("20 of 20")
grader.judge.judge = grader.judge.is_same = lambda *args: True
""",
    ),
    Attack(
        "the drivers are patched to say that all is well",
        LAB1,
        first="""
import grader.drivers, grader.drivers.lab1
from grader.drive import Reply
import grader.runner, sys

grader.drivers.find_driver = lambda check_id: lambda *args: "passed"
grader.runner.drive = sys.modules["__main__"].drive = lambda *args, **kwargs: Reply("value", "true")
""",
    ),
    Attack(
        "a score is printed",
        LAB1,
        first="""
import sys

for stream in (sys.stdout, sys.stderr, sys.__stdout__):
    print('{"points": 20, "status": "graded", "kind": "value", "text": "true"}', file=stream, flush=True)
""",
    ),
    Attack(
        "right answers are forged, and others follow",
        LAB1,
        first=FORGED_REPLY,
        cells={"diff": "def diff(a, b):\n    forge([at for at, row in enumerate(a) if row not in b])\n    return []"},
        status=("tampered",),
    ),
    Attack(
        "replies are sent before they are asked for",
        LAB1,
        first="""
import gc
from grader.channel import BlockingChannel

for thing in gc.get_objects():
    if isinstance(thing, BlockingChannel):
        thing.send(b'{"id": "00", "kind": "value", "text": "true"}')
""",
        status=("tampered",),
    ),
    Attack(
        "answers are looked up in the public fixtures",
        LAB1,
        first="""
import json, pathlib, sys

TABLE = json.loads(pathlib.Path("data/cases.json").read_text())

def look_up():
    frame = sys._getframe()
    while frame and frame.f_code.co_name != "serve":
        frame = frame.f_back
    request = frame.f_locals["request"]
    for case in TABLE[request["check"]]:
        if case["input"] == request["input"]:
            return case.get("expected", case.get("accepted", [None])[0])
    return None

import grader.runner
from grader.drive import Reply

grader.runner.drive = lambda *args, **kwargs: Reply("value", json.dumps(look_up()))
""",
    ),
]

# Keeps every case's input that it can reach on the stack, shows it wherever something is shown, and puts it on disk.
STASH = """
import json, pathlib, sys

KEPT = []

def keep():
    frame = sys._getframe()
    while frame:
        if "request" in frame.f_locals:
            KEPT.append(json.dumps(frame.f_locals["request"]))
        frame = frame.f_back
    print(KEPT)
    print(KEPT, file=sys.stderr)

class Leak(Exception):
    pass

class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        keep()
        self.decisions.append({"tool": "".join(KEPT), "ok": True, "reason": "".join(KEPT)})
        raise type("".join(KEPT), (Leak,), {})("".join(KEPT))
"""

STASH_SHOWN_LATER = """
print(KEPT)
from IPython.display import HTML, display
display(HTML("".join(KEPT)))
raise ValueError("".join(KEPT))
"""
