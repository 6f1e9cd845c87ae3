"""Lab 1, fan-out replay: asks a test, a budget, a replay and a diff."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from grader.drivers import Json, World, driver
from grader.drivers.clocks import clock, jumping, standing_still
from grader.drivers.recorded import NotRecorded, play_back
from grader.drivers.scripted import ScriptedBudget
from grader.drivers.stand_ins import stand_ins
from workshop.budget import BudgetDenied


@driver("lab1.test")
def caps_test(world: World, case: dict[str, Any], test_caps: Any) -> Json:
    """Run the student's test against recorded budgets, put in place of its global name Budget.

    A case names a public recording or brings one of its own, which has no name to go by.
    """
    recordings = world.lab.read_json("recorded_budgets.json")
    names = test_caps.__globals__
    asked = [{**recordings.get(budget.get("recording"), {}), **budget} for budget in case["budgets"]]
    return [_run_test(test_caps, names, recording) for recording in asked]


def _run_test(test_caps: Any, names: dict[str, Any], recording: dict[str, Any]) -> str:
    with stand_ins((names, {"Budget": play_back(recording)})):
        try:
            test_caps()
        except (KeyboardInterrupt, SystemExit, NotRecorded, NotImplementedError):
            raise  # no outcome of a test: stopped, asked beyond the recording, or not filled in
        except BaseException:  # pytest's own failures are no Exceptions
            return "failed"
    return "passed"


@dataclass(frozen=True)
class Heard:
    """What one call to admit did: what it raised, the rows it appended, whether it moved a counter."""

    tool: str
    raised: str | None
    rows: list[dict[str, Any]]
    charged: bool

    @property
    def decision(self) -> str:
        """The reason of a denial, however it was told, or admit: a missing row or raise has a case of its own."""
        if self.raised is not None:
            return self.raised
        return next((str(row["reason"]) for row in self.rows if not row["ok"]), "admit")

    @property
    def has_row(self) -> bool:
        return {"tool": self.tool, "ok": False, "reason": self.decision} in self.rows


@driver("lab1.counting")
def counting(world: World, case: dict[str, Any], budget_class: Any) -> Json:
    """Ask admit for each call and tell what the case observes."""
    return _OBSERVERS[case.get("observe", "decisions")](budget_class, case)


def _ask_all(budget_class: Any, case: dict[str, Any]) -> tuple[list[Heard], list[Any]]:
    permit = copy.deepcopy(case["permit"])  # one for all budgets of the case, none for the next run
    with _class_as_written(budget_class):
        budgets = [budget_class(permit) for _ in range(case.get("budgets", 1))]
        return [_ask(budgets[call.get("budget", 0)], call) for call in case["calls"]], budgets


def _ask(budget: Any, call: dict[str, Any]) -> Heard:
    counters, rows = _counters(budget), len(budget.decisions)
    raised = None
    try:
        budget.admit(call["tool"], call.get("args", {}), depth=call.get("depth", 1))
    except BudgetDenied as denied:
        raised = str(denied)
    return Heard(call["tool"], raised, budget.decisions[rows:], _counters(budget) != counters)


def _counters(budget: Any) -> dict[str, Any]:
    used = {tool: count for tool, count in budget.per_tool.items() if count}
    return {"total_calls": budget.total_calls, "per_tool": used, "depth": budget.depth}


def _decisions(budget_class: Any, case: dict[str, Any]) -> Json:
    return [heard.decision for heard in _ask_all(budget_class, case)[0]]


def _some_decisions(budget_class: Any, case: dict[str, Any]) -> Json:
    return _about(_ask_all(budget_class, case)[0], case)


def _about(heard: list[Heard], case: dict[str, Any]) -> list[str]:
    """The decisions on the calls at ``about``: the others are for other cases to judge."""
    return [heard[place].decision for place in case["about"]]


def _denials(name: str, is_at_fault: Callable[[Heard], bool]) -> Callable[[Any, dict[str, Any]], Json]:
    """Count the denials at fault, whichever calls were denied, and tell the decisions ``about`` some calls."""

    def observe(budget_class: Any, case: dict[str, Any]) -> Json:
        heard = _ask_all(budget_class, case)[0]
        at_fault = sum(is_at_fault(one) for one in heard if one.decision != "admit")
        return {"decisions": _about(heard, case), name: at_fault}

    return observe


def _counters_after(budget_class: Any, case: dict[str, Any]) -> Json:
    return _counters(_ask_all(budget_class, case)[1][0])


def _rows_after(budget_class: Any, case: dict[str, Any]) -> Json:
    return _ask_all(budget_class, case)[1][0].decisions


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
    "decisions": _decisions,
    "some_decisions": _some_decisions,
    "any_denied": lambda budget_class, case: any(one.decision != "admit" for one in _ask_all(budget_class, case)[0]),
    "counters": _counters_after,
    "rows": _rows_after,
    "denials_without_row": _denials("without_row", lambda heard: not heard.has_row),
    "denials_not_raised": _denials("not_raised", lambda heard: heard.raised is None),
    "denials_charged": _denials("charged", lambda heard: heard.charged),
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


@driver("lab1.replay")
def replay_of_trace(world: World, case: dict[str, Any], replay: Any) -> Json:
    """Replay a trace against a scripted or a recorded budget."""
    by_step = {"by_step": case["by_step"]} if "by_step" in case else {}
    if "script" in case:
        script = case["script"]
        budget = ScriptedBudget(lambda turn, _: script[min(turn, len(script) - 1)], {})
        returned = replay(case["trace"], budget, **by_step)
        told = {"decisions": returned, "asked": budget.asked, "depths": budget.depths}
        return told[case["observe"]]
    recording = world.lab.read_json("recorded_budgets.json")[case["recording"]]
    rows = replay(case["trace"], play_back(recording)(recording["permit"]), **by_step)
    denied = [{"step": step, "reason": row["reason"]} for step, row in enumerate(rows, start=1) if not row["ok"]]
    return denied[0] if denied else None


@driver("lab1.diff")
def diff_of_lists(world: World, case: dict[str, Any], diff: Any) -> Json:
    """Compare two lists of decisions; ``keys_in_b`` says in which order the second list's keys stand."""
    order = case.get("keys_in_b")
    b = [{key: row[key] for key in order} for row in case["b"]] if order else case["b"]
    return diff(case["a"], b)
