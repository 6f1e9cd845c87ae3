"""Asks a budget for tool calls, one after another, and tells what a case observes of its answers and counters."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from grader.drivers import Json
from grader.drivers.clocks import clock, jumping, standing_still
from workshop.budget import BudgetDenied


@dataclass(frozen=True)
class Heard:
    """What one call to admit did: what it raised, the rows it appended, and what was counted before and after it."""

    tool: str
    raised: str | None
    rows: list[dict[str, Any]]
    before: Any
    after: Any

    @property
    def decision(self) -> str:
        """The reason of a denial, however it was told, or admit: a missing row or raise has a case of its own."""
        if self.raised is not None:
            return self.raised
        return next((str(row["reason"]) for row in self.rows if not row["ok"]), "admit")

    @property
    def has_row(self) -> bool:
        return {"tool": self.tool, "ok": False, "reason": self.decision} in self.rows


def ask(budget: Any, call: dict[str, Any], args: Any, counted: Callable[[Any], Any]) -> Heard:
    """Call admit once, for the tool and the depth of ``call`` and with ``args``; ``counted`` reads the counters."""
    before, rows = counted(budget), len(budget.decisions)
    raised = None
    try:
        budget.admit(call["tool"], args, depth=call.get("depth", 1))
    except BudgetDenied as denied:
        raised = str(denied)
    return Heard(call["tool"], raised, budget.decisions[rows:], before, counted(budget))


def observed(budget_class: Any, case: dict[str, Any]) -> Json:
    """Ask for each of the case's ``calls`` under its ``permit``, and tell what the case says to ``observe``.

    With ``budgets`` there are several, of one permit, and a call names the place of its ``budget``. ``about`` are the
    places of the calls whose decisions are told where faults are counted: the others are for other cases to judge.
    """
    return _OBSERVERS[case.get("observe", "decisions")](budget_class, case)


def _ask_all(budget_class: Any, case: dict[str, Any]) -> tuple[list[Heard], list[Any]]:
    permit = copy.deepcopy(case["permit"])  # one for all budgets of the case, none for the next run
    with _class_as_written(budget_class):
        budgets = [budget_class(permit) for _ in range(case.get("budgets", 1))]
        heard = [ask(budgets[call.get("budget", 0)], call, call.get("args", {}), _counters) for call in case["calls"]]
    return heard, budgets


def _counters(budget: Any) -> dict[str, Any]:
    used = {tool: count for tool, count in budget.per_tool.items() if count}
    return {"total_calls": budget.total_calls, "per_tool": used, "depth": budget.depth}


def _about(heard: list[Heard], case: dict[str, Any]) -> list[str]:
    return [heard[place].decision for place in case["about"]]


def _denials(name: str, is_at_fault: Callable[[Heard], bool]) -> Callable[[Any, dict[str, Any]], Json]:
    """Count the denials at fault, whichever calls were denied, and tell the decisions ``about`` some calls."""

    def observe(budget_class: Any, case: dict[str, Any]) -> Json:
        heard = _ask_all(budget_class, case)[0]
        at_fault = sum(is_at_fault(one) for one in heard if one.decision != "admit")
        return {"decisions": _about(heard, case), name: at_fault}

    return observe


def _by_clock(budget_class: Any, case: dict[str, Any]) -> Json:
    """Ask twice, the clock standing still and then jumping; count the decisions that changed, and tell some."""
    names = getattr(budget_class.admit, "__globals__", {})
    with clock(standing_still(), names):
        still = _ask_all(budget_class, case)[0]
    with clock(jumping(), names):
        jumped = _ask_all(budget_class, case)[0]
    changed = sum(one.decision != other.decision for one, other in zip(still, jumped, strict=True))
    return {"decisions": _about(jumped, case), "changed_by_clock": changed}


_OBSERVERS: dict[str, Callable[[Any, dict[str, Any]], Json]] = {
    "decisions": lambda budget_class, case: [heard.decision for heard in _ask_all(budget_class, case)[0]],
    "some_decisions": lambda budget_class, case: _about(_ask_all(budget_class, case)[0], case),
    "any_denied": lambda budget_class, case: any(one.decision != "admit" for one in _ask_all(budget_class, case)[0]),
    "counters": lambda budget_class, case: _counters(_ask_all(budget_class, case)[1][0]),
    "rows": lambda budget_class, case: _ask_all(budget_class, case)[1][0].decisions,
    "denials_without_row": _denials("without_row", lambda heard: not heard.has_row),
    "denials_not_raised": _denials("not_raised", lambda heard: heard.raised is None),
    "denials_charged": _denials("charged", lambda heard: heard.before != heard.after),
    "clock": _by_clock,
}


@contextmanager
def _class_as_written(budget_class: Any) -> Iterator[None]:
    """Undo what a run left on the class: state shared by a class attribute must fail one group, not all."""
    before = {name: copy.deepcopy(value) for name, value in _class_state(budget_class)}
    try:
        yield
    finally:
        for name, _ in _class_state(budget_class):
            if name not in before:
                delattr(budget_class, name)
        for name, value in before.items():
            setattr(budget_class, name, value)


def _class_state(budget_class: Any) -> list[tuple[str, Any]]:
    kinds = (dict, list, set, int, float)
    return [(name, it) for name, it in vars(budget_class).items() if name[:2] != "__" and isinstance(it, kinds)]
