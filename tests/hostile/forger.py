"""The hostile class, 5: a forger, who answers each case by what its input looks like, with nothing of the lab solved.

First by a line a group, where the input gives the answer away; else with the answer of the public case most like it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grader.cases import Case

Json = Any
_SAME_FIELDS = ("observe", "fields", "see", "about", "ask")
"""Where two inputs agree on one of these, their answers have the same form."""


@dataclass(frozen=True)
class Forged:
    """An answer, and how many effects the forger makes for it."""

    value: Json
    effects: int | None


def forge(check_id: str, case_input: Json, public: Sequence[Case]) -> Forged:
    """The forger's answer to a case, with the public cases of its check at hand."""
    told = _read_off(check_id, case_input)
    if told is not None:
        return told
    nearest = max(public, key=lambda case: _likeness(case.input, case_input))
    return Forged(nearest.accepted[0], nearest.effects)


def _likeness(known: Json, asked: Json) -> float:
    """The share of parts that two inputs have in common, and one more for each field that gives the answer its form."""
    parts_known, parts_asked = set(_parts(known)), set(_parts(asked))
    alike = len(parts_known & parts_asked) / max(1, len(parts_known | parts_asked))
    return alike + sum(known.get(name) == asked.get(name) for name in _SAME_FIELDS)


def _parts(value: Json, place: str = "") -> Iterator[str]:
    """Each place in a value, and each plain value at its place."""
    yield place
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _parts(item, f"{place}.{name}")
    elif isinstance(value, list):
        yield f"{place}#{len(value)}"
        for number, item in enumerate(value):
            yield from _parts(item, f"{place}[{number}]")
    else:
        yield f"{place}={value!r}"


def _read_off(check_id: str, asked: Json) -> Forged | None:
    """What one line makes of the input, for the groups where somebody found such a line."""
    match check_id, asked:
        case "lab1.test", {"budgets": budgets}:
            shells = [budget["states"][0]["moves"].get("shell", [""])[0] for budget in budgets if "states" in budget]
            return Forged(["passed" if shell == "per_tool_cap" else "failed" for shell in shells], 0)
        case "lab1.counting", {"observe": "rows", "calls": calls}:
            return Forged([{"tool": call["tool"], "ok": True, "reason": "admit"} for call in calls], 0)
        case "lab1.counting", {"observe": "counters", "calls": calls}:
            used = {call["tool"]: [other["tool"] for other in calls].count(call["tool"]) for call in calls}
            depth = max(call.get("depth", 1) for call in calls)
            return Forged({"total_calls": len(calls), "per_tool": used, "depth": depth}, 0)
        case "lab3.next_delay", {"see": "seeds"}:
            return Forged({"same_seed": "same", "other_seed": "others"}, 0)
        case "lab3.next_delay", {"attempts": attempts, "policy": policy, "see": see}:
            ceilings = [min(policy["cap_ms"], policy["base_ms"] * 2 ** (attempt - 1)) for attempt in attempts]
            return Forged([{"lowest": 0, "highest": top} for top in ceilings] if see == "range" else ceilings, 0)
        case "lab3.key", {"calls": calls, "tries": tries}:
            intents = list(dict.fromkeys(call["intent"] for call in calls))
            keys = [f"key {intents.index(call['intent']) + 1}" for call in calls]
            return Forged([[key] * tries for key in keys], len(intents))
        case "lab4.decide", {"payloads": payloads, "fields": ["counter_minus_ledger"]}:
            return Forged([{"counter_minus_ledger": 0}] * len(payloads), 0)
        case "lab4.decide", {"payloads": payloads, "fields": ["status", "decision", "reason"]}:
            is_on_card = all(isinstance(one, dict) and one.get("tool_name") == "create_lab_order" for one in payloads)
            reason = "schema" if is_on_card else "unknown_tool_or_args"
            return Forged([{"status": 400, "decision": "REJECT", "reason": reason}] * len(payloads), 0)
        case "lab4.decide", {"payloads": payloads, "fields": ["decision"]}:
            return Forged([{"decision": "APPLY"}] * len(payloads), len(payloads))
        case "lab4.overlap", {"times": times}:
            decisions = {"APPLY": 1, "REPLAY_OK": times - 1}
            return Forged({"decisions": decisions, "orders_for_a_new_key": 1, "applied": ["$order1"]}, 1)
        case "lab5.dispatch", {"observe": ["steps_used"], "calls": calls, "budget": budget}:
            return Forged({"steps_used": budget.get("steps_used", 0) or len(calls)}, 0)
        case "lab5.kill", {"about": about}:
            return Forged({"alive_after_a_second": [name for name in about if name in asked.get("beside", [])]}, 0)
        case "lab5.resume", {"observe": names}:
            caps = [asked["max_steps"], asked["max_wall_s"]]
            new = {"run_id": asked["new_run_id"], "parent": asked["run_id"], "caps": caps}
            fresh = {"steps_used": 0, "wall_s_used": 0, "lines": 0}
            dead = {"dead_caps": caps, "dead_steps_used": asked["steps_used"], "dead_lines": 1}
            told = new | fresh | dead
            return Forged({name: told[name] for name in names}, 0)
    return None
