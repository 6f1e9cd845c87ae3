"""Lab 3, the retry table: asks what is observed, the table, delays, when to stop, keys, five answers."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping
from itertools import chain, repeat
from typing import Any

from grader.drivers import Json, World, driver
from workshop.retry import Loop, Observation, Policy, Rules, State, TimedTools, WantedCall

KEY_CHARS = range(8, 65)


@driver("lab3.observe")
def observe(world: World, case: dict[str, Any], student_observe: Any) -> Json:
    """The named ``fields`` of the observation, so that one fault fails one group's cases.

    ``keys`` are its own names; ``any_data`` says whether some data came along, ``passes_whole`` whether all of it.
    """
    seen = student_observe(case["duration_ms"], case["data"], case["limits"])
    if not isinstance(seen, dict):
        return {"not_a_dict": type(seen).__name__}
    told = {
        **seen,
        "keys": sorted(map(str, seen)),
        "any_data": bool(seen.get("data")),
        "passes_whole": seen.get("ok") is True and _as_text(seen.get("data")) == _as_text(case["data"]),
    }
    return {name: told[name] for name in case["fields"] if name in told}


def _as_text(value: Any) -> str:
    """Compared as text: an object of the student's own could call itself equal to anything."""
    return json.dumps(value, sort_keys=True)


@driver("lab3.decide")
def decide(world: World, case: dict[str, Any], student_decide: Any) -> Json:
    """The action after each of the case's errors; ``nothing_applied`` is left out where the case does not tell it."""
    return [_ask(student_decide, **asked) for asked in case["asks"]]


def _ask(student_decide: Any, *, error: str, effect: str, has_key: bool, **told: bool) -> Json:
    return student_decide(error, effect, has_key, **told)


@driver("lab3.next_delay")
def next_delay(world: World, case: dict[str, Any], student_next_delay: Any) -> Json:
    """What many draws look like from outside, rounded outwards to ``grain_ms``.

    Jitter makes every delay another one, so the answer is a description that every right solution shares: the lowest
    delay rounded down and the highest rounded up. A thousand draws miss the last grain below a ceiling about never.
    """
    policy = Policy(**case["policy"])

    def draw(attempt: int, seed: int) -> list[float]:
        rng = random.Random(seed)
        return [_milliseconds(student_next_delay(attempt, policy, rng)) for _ in range(case["draws"])]

    def rounded(delays: list[float]) -> dict[str, int]:
        grain = case["grain_ms"]
        return {"lowest": math.floor(min(delays) / grain) * grain, "highest": math.ceil(max(delays) / grain) * grain}

    attempts, seed = case["attempts"], case["seed"]
    if case["see"] == "seeds":
        first = draw(attempts[0], seed)
        told = {"same_seed": draw(attempts[0], seed), "other_seed": draw(attempts[0], seed + 1)}
        return {name: "same" if delays == first else "others" for name, delays in told.items()}
    ranges = [rounded(draw(attempt, seed)) for attempt in attempts]
    return ranges if case["see"] == "range" else [one["highest"] for one in ranges]


def _milliseconds(delay: Any) -> float:
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not math.isfinite(delay):
        raise TypeError(f"a delay is a number of milliseconds, not {delay!r}")
    return delay


@driver("lab3.must_stop")
def must_stop(world: World, case: dict[str, Any], student_must_stop: Any) -> Json:
    """The reason in one state, or how a batch of calls ends in the supplied loop."""
    policy = Policy(**case["policy"])
    if "state" in case:
        return student_must_stop(State(**case["state"]), policy)
    rules = Rules(
        decide=lambda error, *_, **__: str(case["actions"][error]),
        next_delay=lambda *_: float(case["delay_ms"]),
        must_stop=student_must_stop,
        key_for_try=lambda call, _: call.intent,
    )
    durations = chain(case["durations"], repeat(case["durations"][-1]))
    loop = Loop(TimedTools(durations, None, _heard, {}), rules, policy, timeout_ms=case["timeout_ms"])
    outcomes = loop.run([WantedCall(**call) for call in case["calls"]])
    return {
        "ends": [outcome.end for outcome in outcomes],
        "started": loop.tools_started,
        "at_ms": round(loop.now_ms),
    }


def _heard(took_ms: float, data: Any, limits: Mapping[str, float]) -> Observation:
    """What is heard of a tool without the student's observe, which is another check's question."""
    return {"ok": False, "error": "timeout"} if took_ms > limits["timeout_ms"] else {"ok": True, "data": data}


@driver("lab3.key")
def key_for_try(world: World, case: dict[str, Any], student_key_for_try: Callable[[WantedCall, int], Any]) -> Json:
    """The keys of each call's tries, numbered as they first come; a key that is new makes an effect."""
    numbers: dict[str, str] = {}
    told = []
    for call in (WantedCall(effect="write", takes_key=True, **asked) for asked in case["calls"]):
        keys = [student_key_for_try(call, attempt) for attempt in range(1, case["tries"] + 1)]
        for key in keys:
            if isinstance(key, str) and len(key) in KEY_CHARS and key not in numbers:
                numbers[key] = f"key {len(numbers) + 1}"
                world.ledger.apply(key, call.args["order_id"], call.args["amount_cents"])
        told.append(
            [numbers.get(key, "no key of 8 to 64 characters") if isinstance(key, str) else "no text" for key in keys]
        )
    return told


@driver("lab3.quiz")
def quiz(world: World, case: dict[str, Any], answers: Any) -> Json:
    """Which of the questions have one of their letters as answer, or which letter it is."""
    if not isinstance(answers, dict):
        return {"not_a_dict": type(answers).__name__}
    if not any(answers.values()):
        raise NotImplementedError("no question is answered")  # as an empty cell does: the judge calls it not filled in
    if case["see"] == "chosen":
        return {name: answers.get(name) for name in case["questions"]}
    options = {question["id"]: question["options"] for question in world.lab.read_json("quiz.json")}
    return [
        name for name in case["questions"] if isinstance(letter := answers.get(name), str) and letter in options[name]
    ]
