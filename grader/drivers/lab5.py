"""Lab 5, the bounded loop: asks the gates with make-believe workers, kill_tree with real ones, and plain dicts."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Callable
from typing import Any

from grader.drivers import Json, OurFault, World, driver
from grader.drivers.clocks import sleep_moves
from grader.drivers.stand_ins import stand_ins
from workshop.hung import FamilyNotStarted, ask_to_kill, ended_worker
from workshop.loop import Allowlist, GateError, RunBudget, Student, ToolSpec, make_allowlist, run_agent
from workshop.make_believe import MakeBelieveClock, MakeBelieveTools, MakeBelieveWorker, Script


@driver("lab5.result")
def result(world: World, case: dict[str, Any], read_result: Any, next_prompt: Any) -> Json:
    """Read one result, or build the next prompt from an outcome, or run the loop on one tool that prints no JSON."""
    if "prints" in case:
        spec = ToolSpec("search", 2.0, case["max_bytes"], "search.hits.v1", tuple(case["required"]))
        return _code_or(lambda: read_result(_printed(case), spec))
    if "outcome" in case:
        prompt = next_prompt(copy.deepcopy(case["history"]), _outcome(case["outcome"]))
        return "no next prompt" if prompt is None else _shown(prompt, case)
    return _prompts_of_a_run(next_prompt, _with_allowlist(world, case))


def _printed(case: dict[str, Any]) -> bytes:
    """The bytes a tool printed; "latin-1" makes bytes that are no UTF-8."""
    return bytes(case["prints"].encode(case.get("encoding", "utf-8")))


def _code_or(ask: Callable[[], Json]) -> Json:
    try:
        return ask()
    except GateError as error:
        return error.code


def _outcome(told: dict[str, Any]) -> Any:
    return GateError(told["code"], told["detail"]) if "code" in told else told


def _shown(prompt: Any, case: dict[str, Any]) -> Json:
    """Which of the words to look for the model would read, whose message was added, and whether the old ones stay."""
    history = case["history"]
    if not isinstance(prompt, list) or not all(_is_message(message) for message in prompt):
        return "not a list of messages, each with a role and a content that is text"
    text = "\n".join(message["content"] for message in prompt)
    return {
        "shows": [word for word in case["look_for"] if word in text],
        "added": [message["role"] for message in prompt[len(history) :]],
        "keeps_history": prompt[: len(history)] == history,
    }


def _is_message(message: Any) -> bool:
    return isinstance(message, dict) and all(isinstance(message.get(name), str) for name in ("role", "content"))


def _prompts_of_a_run(next_prompt: Any, case: dict[str, Any]) -> Json:
    """What a model reads in a run of two steps whose dispatches end in ``errors``."""
    errors = [GateError(told["code"], told["detail"]) for told in case["errors"]]
    seen: list[str] = []

    def model(prompt: Any) -> tuple[str, dict[str, Any]]:
        seen.append(json.dumps(prompt, ensure_ascii=False))
        return "search", {}

    def dispatch(budget: RunBudget, *_: Any) -> Any:
        budget.steps_used += 1
        raise errors[budget.steps_used - 1]

    def check_budget(budget: RunBudget) -> None:
        if budget.steps_used >= len(errors):
            raise GateError("budget_exceeded")

    budget = RunBudget("run-1", len(errors), 60.0)
    start = MakeBelieveTools({}, MakeBelieveClock()).start
    run_agent(model, "task", budget, _allowlist(case), start, Student(check_budget, dispatch, next_prompt))
    return {"model_turns": len(seen), "shows": [word for word in case["look_for"] if word in "".join(seen)]}


def _allowlist(case: dict[str, Any]) -> Allowlist:
    return make_allowlist(case["allowlist"])


def _with_allowlist(world: World, case: dict[str, Any]) -> dict[str, Any]:
    """The case with the released allowlist, where it brings none of its own."""
    return {"allowlist": world.lab.read_json("tools-v4.json"), **case}


@driver("lab5.dispatch")
def gates(world: World, case: dict[str, Any], dispatch: Any, check_budget: Any) -> Json:
    """Make the case's calls under one budget and tell what it observes; each tool that starts is an effect."""
    case = _with_allowlist(world, case)
    clock = MakeBelieveClock()
    scripts = {tool: Script(**script) for tool, script in case.get("tools", {}).items()}
    tools = MakeBelieveTools(scripts, clock, on_start=lambda tool: world.ledger.apply(tool, tool, 1))
    budget = _budget(case["budget"], clock)
    names = getattr(inspect.unwrap(dispatch), "__globals__", {})
    # The notebook's kill_tree ends real processes: it is another check's question, and so no fault of it costs here.
    with sleep_moves(clock.advance, names), stand_ins((names, {"kill_tree": MakeBelieveWorker.kill})):
        if case.get("ask") == "check_budget":
            answer = _code_or(lambda: check_budget(budget) or "may go on")
            told = {"answer": answer, "steps_used": budget.steps_used}
            return {name: told[name] for name in case["observe"]}
        if case.get("ask") == "loop":
            return _loop(case, budget, tools, clock, check_budget, dispatch)
        outcomes = []
        for call in case["calls"]:
            clock.advance(call.get("after_s", 0))
            outcomes.append(_dispatch_once(dispatch, budget, case, call["tool"], tools))
    return {name: _OBSERVED[name](budget, outcomes, tools, case) for name in case["observe"]}


def _budget(given: dict[str, Any], clock: MakeBelieveClock) -> RunBudget:
    """A run with these caps, of which so many steps and seconds are used."""
    budget = RunBudget(given.get("run_id", "run-1"), given["max_steps"], given["max_wall_s"], clock=clock)
    budget.steps_used = given.get("steps_used", 0)
    clock.advance(given.get("wall_used_s", 0))
    return budget


def _dispatch_once(dispatch: Any, budget: RunBudget, case: dict[str, Any], tool: str, tools: MakeBelieveTools) -> Json:
    """The result as it came back, or the code of what was raised."""
    return _code_or(lambda: dispatch(budget, _allowlist(case), tool, {}, tools.start))


Observe = Callable[[RunBudget, list[Json], MakeBelieveTools, dict[str, Any]], Json]
_OBSERVED: dict[str, Observe] = {
    "outcomes": lambda budget, outcomes, tools, case: outcomes,
    "last_outcome": lambda budget, outcomes, tools, case: outcomes[-1],
    "started": lambda budget, outcomes, tools, case: [worker.tool for worker in tools.started],
    "steps_used": lambda budget, outcomes, tools, case: budget.steps_used,
    "ran_s": lambda budget, outcomes, tools, case: [round(worker.ran_s) for worker in tools.started],
    "still_running": lambda budget, outcomes, tools, case: [w.tool for w in tools.started if w.is_running],
    "lines": lambda budget, outcomes, tools, case: len(budget.evidence),
    "evidence": lambda budget, outcomes, tools, case: [
        {name: line.get(name, "(missing)") for name in case["fields"]} for line in budget.evidence
    ],
}


def _loop(
    case: dict[str, Any],
    budget: RunBudget,
    tools: MakeBelieveTools,
    clock: MakeBelieveClock,
    check_budget: Any,
    dispatch: Any,
) -> Json:
    """Let a model that never has enough call one tool; a turn of the model takes ``turn_s`` as well."""
    turns: list[str] = []

    def model(prompt: Any) -> tuple[str, dict[str, Any]] | None:
        turns.append(case["call"])
        clock.advance(case.get("turn_s", 0))
        return (case["call"], {}) if len(turns) < 20 else None

    student = Student(check_budget, dispatch, lambda history, outcome: history)
    end = run_agent(model, "task", budget, _allowlist(case), tools.start, student)
    return {"end": end, "model_turns": len(turns), "tools_started": len(tools.started)}


@driver("lab5.kill")
def kill(world: World, case: dict[str, Any], kill_tree: Any) -> Json:
    """Who of a real hung family, and ``beside`` it, outlives kill_tree by a second; a late file counts as an effect.

    Without a family: what comes of a worker that has ended by itself.
    """
    try:
        if not case["family"]:
            kill_tree(ended_worker())
            return {"alive_after_a_second": []}
        seen = ask_to_kill(kill_tree, case["family"], case.get("stubborn", []), case.get("beside", []))
    except FamilyNotStarted as problem:
        raise OurFault(str(problem)) from problem
    if seen.wrote_late_file:
        world.ledger.apply("late-file", "reindex", 1)
    return {"alive_after_a_second": [part for part in case["about"] if part in seen.survivors]}


@driver("lab5.resume")
def resume(world: World, case: dict[str, Any], student_resume: Any) -> Json:
    """Resume a run that died, and look at both runs."""
    clock = MakeBelieveClock()
    dead = _budget(case, clock)
    dead.evidence.append({"run_id": case["run_id"], "step": case["steps_used"], "gate": "budget_exceeded"})
    new = student_resume(dead, case["new_run_id"])
    told = {
        "run_id": new.run_id,
        "parent": new.parent,
        "caps": [new.max_steps, new.max_wall_s],
        "steps_used": new.steps_used,
        "wall_s_used": round(new.clock() - new.started_at),
        "lines": len(new.evidence),
        "dead_caps": [dead.max_steps, dead.max_wall_s],
        "dead_steps_used": dead.steps_used,
        "dead_lines": len(dead.evidence),
    }
    return {name: told[name] for name in case["observe"]}


@driver("lab5.audit")
def audit(world: World, case: dict[str, Any], answers: Any) -> Json:
    """How many of the items are answered, or the answers."""
    if not any(type(answer) is bool for answer in answers.values()):
        raise NotImplementedError("no item is answered")  # as an empty cell does: the judge calls it not filled in
    return _answers(answers, case["items"], case["observe"], lambda answer: type(answer) is bool)


@driver("lab5.bypass")
def bypass(world: World, case: dict[str, Any], names: Any) -> Json:
    """How many of the snippets have one of the names, or the names they have."""
    if not any(names.values()):
        raise NotImplementedError("no snippet has a name")  # as an empty cell does: the judge calls it not filled in
    return _answers(names, case["snippets"], case["observe"], lambda name: name in case["names"])


def _answers(answers: Any, asked: list[str], observe: str, is_answer: Callable[[Any], bool]) -> Json:
    given = {one: answers.get(one) for one in asked}
    return sum(map(is_answer, given.values())) if observe == "answered" else given
