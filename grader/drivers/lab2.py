"""Lab 2, the fail-closed permit: asks load_permit, the host rule, a budget with all gates, and plan_once."""

from __future__ import annotations

import copy
import json
import math
import tempfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import httpx

from grader.drivers import Json, World, driver
from grader.drivers.budgets import ask
from grader.drivers.scripted import ScriptedBudget
from grader.drivers.stand_ins import stand_ins
from workshop.budget import BudgetDenied
from workshop.planner_room import PlannerRoom
from workshop.planning import Call, tool_runner


@driver("lab2.permit")
def permit(world: World, case: dict[str, Any], load_permit: Any) -> Json:
    """Load a file with the case's ``permit``, ``text`` or bytes in ``hex``; without one of them there is no file.

    ``names`` asks whether a denial names that key; ``any_refusal`` takes any exception for one.
    """
    # From inside the folder the path is the same each time, and so is what an exception says of it.
    with tempfile.TemporaryDirectory(prefix="admit-one-") as folder, chdir(folder):
        path = Path("permit.json")
        if "hex" in case:
            path.write_bytes(bytes.fromhex(case["hex"]))
        elif "permit" in case or "text" in case:
            path.write_text(case.get("text") or json.dumps(case["permit"]), encoding="utf-8")
        try:
            loaded = load_permit(path)
        except BudgetDenied as denied:
            return {"denied": True, "names": case["names"] in str(denied)} if "names" in case else "denied"
        except NotImplementedError:
            raise  # a cell that is not filled in refuses nothing
        except Exception:
            if not case.get("any_refusal"):
                raise
            return "denied"
    return loaded


@driver("lab2.host")
def host(world: World, case: dict[str, Any], host_is_allowed: Any) -> Json:
    """Whether each of ``urls`` may be fetched where the hosts in ``allowed`` are listed."""
    return [bool(host_is_allowed(url, list(case["allowed"]))) for url in case["urls"]]


ODD_ARGS: dict[str, Callable[[], Any]] = {
    "nan": lambda: {"q": math.nan},
    "infinity": lambda: {"q": [1.0, -math.inf]},
    "set": lambda: {"q": {"a"}},
    "bytes": lambda: {"q": b"a"},
    "mixed_keys": lambda: {"q": "a", 1: "b"},
}
"""Arguments that JSON cannot hold, by the name a case gives them."""


@driver("lab2.gates")
def gates(world: World, case: dict[str, Any], budget_class: Any) -> Json:
    """Ask admit for each of ``calls``, and tell what the case observes."""
    budget = budget_class(copy.deepcopy(case["permit"]))
    heard = [_ask(budget, call) for call in case["calls"]]
    decisions = [one["decision"] for one in heard]
    if case.get("observe") == "first_denial":
        return next(({"step": n, "reason": said} for n, said in enumerate(decisions, 1) if said != "admit"), None)
    if case.get("observe") == "charging":
        denied = [one for one in heard if one["decision"] != "admit"]
        admitted = [one for one in heard if one["decision"] == "admit"]
        return {
            "some_denied": bool(denied),
            "some_admitted": bool(admitted),
            "denied_and_charged": sum(one["charged"] != 0 for one in denied),
            "admitted_and_not_charged": sum(one["charged"] != 1 for one in admitted),
            "without_their_row": sum(not one["has_row"] for one in heard),
        }
    return decisions


def _ask(budget: Any, call: dict[str, Any]) -> dict[str, Any]:
    """What one call to admit did: only what was raised is a denial, and its row must be the only new one."""
    args = ODD_ARGS[call["odd_args"]]() if "odd_args" in call else copy.deepcopy(call.get("args", {}))
    heard = ask(budget, call, args, lambda budget: budget.per_tool.get(call["tool"], 0))
    decision = "admit" if heard.raised is None else heard.raised
    row = {"tool": heard.tool, "ok": decision == "admit", "reason": decision}
    return {"decision": decision, "charged": heard.after - heard.before, "has_row": heard.rows == [row]}


@driver("lab2.planner")
def planner(world: World, case: dict[str, Any], plan_once: Any) -> Json:
    """Plan once and run what came back; tell the named ``fields``, counted where student code does not reach.

    The planner plays the case's ``script`` or answers with its ``message``; the budget denies the tools in
    ``denies``. ``may_raise`` takes any exception for an end, where a case only counts requests.
    """
    room, denies = PlannerRoom(case), case.get("denies", {})
    budget = ScriptedBudget(lambda _, tool: denies.get(tool, "admit"), {"max_parallel": case.get("max_parallel", 1)})
    messages = [{"role": "user", "content": case.get("ask", "Find out about retries.")}]
    depth = {"depth": case["depth"]} if "depth" in case else {}
    calls: list[Call] = []
    ended = "returned"
    run_tool = tool_runner(httpx.Client(transport=room, base_url="http://stub"))
    with httpx.Client(transport=room, base_url="http://stub/v1", timeout=case.get("timeout_s", 7.0)) as client:
        try:
            # Whatever the notebook calls run_tool: in the student's code it is the counted runner.
            with stand_ins((getattr(plan_once, "__globals__", {}), {"run_tool": run_tool})):
                calls = list(plan_once(messages, budget, client, **depth))
            for call in calls:
                run_tool(call)
        except BudgetDenied as denied:
            ended = str(denied)
        except NotImplementedError:
            raise  # a cell that is not filled in: the judge says so
        except Exception:
            if not case.get("may_raise"):
                raise
            ended = "raised"
    told = {
        "ended": ended,
        "calls": [{"id": call.id, "name": call.name, "args": call.args} for call in calls],
        "decisions": [[row["tool"], row["ok"], row["reason"]] for row in budget.decisions],
        "asked": budget.asked,
        "depths": budget.depths,
        "tool_posts": room.tool_posts,
        "planner_posts": len(room.asked),
        "request_is_whole": room.asked_whole(messages),
        "time_limits_s": room.time_limits_s,
    }
    return {name: told[name] for name in case["fields"]}
