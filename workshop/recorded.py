"""Lab 1's budgets that play back a recording: each decision and each counter is data, no rule is written here.

They let a check ask a student's test, or a student's replay, without a right budget being importable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, ClassVar

from workshop.budget import BudgetDenied, ToolBudget
from workshop.lab import Lab

RECORDED_BUDGETS = "recorded_budgets.json"
ANY_TOOL = "*"


class NotRecorded(Exception):
    """The budget was made with a permit that the recording does not know."""


class RecordedBudget(ToolBudget):
    """Walks through the recorded states; state 0 is the fresh budget."""

    recording: ClassVar[dict[str, Any]]

    def __init__(self, permit: dict[str, Any]) -> None:
        super().__init__(permit)
        if permit != self.recording["permit"]:
            raise NotRecorded("make the budget with PERMIT, unchanged: Budget(PERMIT)")
        self._state = self.recording["states"][0]

    def admit(self, tool: str, args: dict[str, Any], *, depth: int) -> None:
        """Do what was recorded for this call: the last recorded depth stands for every deeper one.

        A reason after ``row:`` is written down and not raised, one after ``silent:`` neither.
        """
        moves = self._state["moves"]
        by_depth = moves.get(tool, moves[ANY_TOOL])
        move, _, state = by_depth[max(1, min(depth, len(by_depth))) - 1].partition(">")
        how, _, reason = move.rpartition(":")
        if state:
            self._state = self.recording["states"][int(state)]
            self.total_calls = self._state["total_calls"]
            self.per_tool = dict(self._state["per_tool"])
            self.depth = self._state["depth"]
        if how != "silent" and self.recording.get("writes_rows", True):
            self.decisions.append({"tool": tool, "ok": reason == "admit", "reason": reason})
        if reason != "admit" and not how and self.recording.get("raises", True):
            raise BudgetDenied(reason)


def recordings(lab: Lab) -> dict[str, dict[str, Any]]:
    """The recordings in the lab's data, by name: ``{"permit": …, "states": […]}``."""
    found: dict[str, dict[str, Any]] = lab.read_json(RECORDED_BUDGETS)
    return found


def play_back(recording: dict[str, Any]) -> type[RecordedBudget]:
    """A class called Budget, right or wrong, that does what ``recording`` says."""
    return type("Budget", (RecordedBudget,), {"recording": recording})


def record(budget_class: Any, permit: dict[str, Any], *, depths: Sequence[int]) -> dict[str, Any]:
    """Record what ``budget_class`` decides, in every state it can reach, for the permit's tools and another."""
    numbers: dict[str, int] = {}
    states: list[dict[str, Any]] = []
    waiting: deque[list[tuple[str, int]]] = deque([[]])

    def number(path: list[tuple[str, int]]) -> int:
        budget = _after(budget_class, permit, path)
        counters = {"total_calls": budget.total_calls, "per_tool": budget.per_tool, "depth": budget.depth}
        known = numbers.setdefault(repr(counters), len(numbers))
        if known == len(states):
            states.append({**counters, "moves": {}})
            waiting.append(path)
        return known

    number(waiting.popleft())
    while waiting:
        path = waiting.popleft()
        here = states[number(path)]
        for tool in (*permit["tools"], ANY_TOOL):
            here["moves"][tool] = []
            for depth in depths:
                reason = _after(budget_class, permit, [*path, (tool, depth)]).decisions[-1]["reason"]
                move = f"admit>{number([*path, (tool, depth)])}" if reason == "admit" else reason
                here["moves"][tool].append(move)
    return {"permit": permit, "states": states}


def _after(budget_class: Any, permit: dict[str, Any], path: list[tuple[str, int]]) -> Any:
    budget = budget_class(permit)
    for tool, depth in path:
        try:
            budget.admit(tool, {}, depth=depth)
        except BudgetDenied:
            continue
    return budget
