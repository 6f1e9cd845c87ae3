"""Lab 1, fan-out replay: asks a test, a budget, a replay and a diff."""

from __future__ import annotations

from typing import Any

from grader.drivers import Json, World, driver
from grader.drivers.budgets import observed
from grader.drivers.scripted import ScriptedBudget
from grader.drivers.stand_ins import stand_ins
from workshop.recorded import NotRecorded, play_back, recordings


@driver("lab1.test")
def caps_test(world: World, case: dict[str, Any], test_caps: Any) -> Json:
    """Run the student's test against recorded budgets, put in place of its global name Budget.

    A case names a public recording or brings one of its own, which has no name to go by.
    """
    known = recordings(world.lab)
    return [_run_test(test_caps, {**known.get(given.get("recording"), {}), **given}) for given in case["budgets"]]


def _run_test(test_caps: Any, recording: dict[str, Any]) -> str:
    with stand_ins((test_caps.__globals__, {"Budget": play_back(recording)})):
        try:
            test_caps()
        except (KeyboardInterrupt, SystemExit, NotRecorded, NotImplementedError):
            raise  # no outcome of a test: stopped, asked beyond the recording, or not filled in
        except BaseException:  # pytest's own failures are no Exceptions
            return "failed"
    return "passed"


@driver("lab1.counting")
def counting(world: World, case: dict[str, Any], budget_class: Any) -> Json:
    """Ask admit for each call and tell what the case observes."""
    return observed(budget_class, case)


@driver("lab1.replay")
def replay_of_trace(world: World, case: dict[str, Any], replay: Any) -> Json:
    """Replay a trace against a scripted or a recorded budget."""
    by_step = {"by_step": case["by_step"]} if "by_step" in case else {}
    if "script" in case:
        script = case["script"]
        budget = ScriptedBudget(lambda turn, _: script[min(turn, len(script) - 1)], {})
        returned = replay(case["trace"], budget, **by_step)
        return {"decisions": returned, "asked": budget.asked, "depths": budget.depths}[case["observe"]]
    recording = recordings(world.lab)[case["recording"]]
    rows = replay(case["trace"], play_back(recording)(recording["permit"]), **by_step)
    denied = [{"step": step, "reason": row["reason"]} for step, row in enumerate(rows, start=1) if not row["ok"]]
    return denied[0] if denied else None


@driver("lab1.diff")
def diff_of_lists(world: World, case: dict[str, Any], diff: Any) -> Json:
    """Compare two lists of decisions; ``keys_in_b`` says in which order the second list's keys stand."""
    order = case.get("keys_in_b")
    b = [{key: row[key] for key in order} for row in case["b"]] if order else case["b"]
    return diff(case["a"], b)
