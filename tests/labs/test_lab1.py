"""Lab 1: the oracle table, the recorded budgets, the storm and the hidden retry."""

from __future__ import annotations

import datetime
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from grader.drivers import World, find_driver
from grader.drivers.clocks import clock, jumping
from stub_server.ledger import Ledger
from tests.solved import solved_namespace
from tests.submissions import made_up
from workshop.budget import BudgetDenied
from workshop.difference import as_text
from workshop.lab import Lab
from workshop.recorded import NotRecorded, play_back
from workshop.replay import HelpfulClient, PatientClient, cold_stub
from workshop.storm import simulate

LAB = "lab1_fanout_replay"
ADMITS = ["admit"] * 4

ORACLE = [
    ("invalid-host-allowed.json", "lab-fanout-01.json", False, [*ADMITS, "per_tool_cap"]),
    ("lab.json", "lab-fanout-01.json", True, ["admit", "admit", "depth_cap"]),
    ("total-four.json", "lab-fanout-01.json", False, [*ADMITS, "total_cap"]),
    ("lab.json", "lab-fanout-shell.json", False, ["admit", "per_tool_cap"]),
    ("no-shell.json", "lab-fanout-shell.json", False, ["admit", "unknown_tool"]),
]


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab.find(LAB)


@pytest.fixture(scope="module")
def solved() -> dict[str, Any]:
    return solved_namespace(LAB)


@pytest.mark.parametrize(("permit", "trace", "by_step", "reasons"), ORACLE)
def test_the_solution_decides_as_the_oracle_table_says(
    lab: Lab, solved: dict[str, Any], permit: str, trace: str, by_step: bool, reasons: list[str]
) -> None:
    budget = solved["Budget"](lab.read_permit(permit))
    rows = solved["replay"](lab.read_json(trace), budget, by_step=by_step)
    assert [row["reason"] for row in rows] == reasons


def test_the_printed_permit_can_never_reach_its_total(lab: Lab) -> None:
    permit = lab.read_permit("lab.json")
    assert sum(tool["max_calls"] for tool in permit["tools"].values()) < permit["max_total_calls"]


def test_every_released_permit_fits_the_permit_schema(lab: Lab) -> None:
    schema = Draft202012Validator(lab.read_permit("permit.schema.json"))
    permits = [lab.read_permit(name) for name in lab.permit_names if not name.endswith(".schema.json")]
    assert permits
    assert all(schema.is_valid(permit) for permit in permits)
    for key in ("max_total_calls", "max_depth", "max_parallel", "tools"):
        assert not schema.is_valid({name: value for name, value in permits[0].items() if name != key})
    assert not schema.is_valid({**permits[0], "max_call": 1})
    assert schema.is_valid({**permits[0], "x_note": "a local extension"})


def test_the_lab_is_worth_twenty_points_in_forty_nine_minutes(lab: Lab) -> None:
    assert (lab.points, lab.minutes) == (20, 49)


TOOLS = ("search", "http_get", "shell", "mail")
CALLS = st.lists(st.tuples(st.sampled_from(TOOLS), st.integers(1, 5)), max_size=12)
CAP = st.integers(0, 3)


def decide(budget: Any, tool: str, depth: int) -> str:
    """The reason of one decision, seen where a caller sees it: in what admit raises."""
    try:
        budget.admit(tool, {}, depth=depth)
    except BudgetDenied as denied:
        return str(denied)
    return "admit"


@given(calls=CALLS, caps=st.lists(CAP, min_size=3, max_size=3), total=CAP, deepest=CAP)
def test_the_first_closed_gate_names_the_reason_and_a_denied_call_charges_nothing(
    solved: dict[str, Any], calls: list[tuple[str, int]], caps: list[int], total: int, deepest: int
) -> None:
    listed = {tool: {"max_calls": cap} for tool, cap in zip(TOOLS, caps, strict=False)}
    budget = solved["Budget"]({"max_total_calls": total, "max_depth": deepest, "max_parallel": 1, "tools": listed})
    admitted: list[tuple[str, int]] = []
    for tool, depth in calls:
        used = sum(before == tool for before, _ in admitted)
        gates = {
            "unknown_tool": tool not in listed,
            "per_tool_cap": used == listed.get(tool, {}).get("max_calls"),
            "total_cap": len(admitted) == total,
            "depth_cap": depth > deepest,
            "admit": True,
        }
        reason = next(name for name, is_closed in gates.items() if is_closed)
        assert decide(budget, tool, depth) == budget.decisions[-1]["reason"] == reason
        if reason == "admit":
            admitted.append((tool, depth))
    assert budget.total_calls == len(admitted) == sum(budget.per_tool.values())
    assert budget.depth == max((depth for _, depth in admitted), default=0)
    assert len(budget.decisions) == len(calls)


@given(calls=CALLS)
def test_a_recorded_budget_answers_like_the_one_it_was_recorded_from(
    lab: Lab, solved: dict[str, Any], calls: list[tuple[str, int]]
) -> None:
    recording = lab.read_json("recorded_budgets.json")["right"]
    played, real = play_back(recording)(recording["permit"]), solved["Budget"](recording["permit"])
    for tool, depth in calls:
        assert decide(played, tool, depth) == decide(real, tool, depth)
    assert (played.total_calls, played.per_tool, played.depth) == (real.total_calls, real.per_tool, real.depth)
    assert played.decisions == real.decisions


def test_a_test_meets_only_budgets_called_budget_and_its_own_is_put_back(solved: dict[str, Any]) -> None:
    met = []
    names = {"note": lambda budget: met.append(budget.__name__), "Budget": "its own"}
    exec("def test_caps(): note(Budget)", names)
    asked = [{"recording": "right"}, {"recording": "admits_all"}]
    assert find_driver("lab1.test")(World(Ledger(), Lab.find("lab1")), {"budgets": asked}, names["test_caps"]) == [
        "passed",
        "passed",
    ]
    assert (met, names["Budget"]) == (["Budget", "Budget"], "its own")


def test_a_test_with_a_permit_of_its_own_is_told_so(lab: Lab) -> None:
    names: dict[str, Any] = {}
    exec("def test_caps(): Budget({'max_total_calls': 1})", names)
    with pytest.raises(NotRecorded, match="PERMIT"):
        find_driver("lab1.test")(
            World(Ledger(), Lab.find("lab1")), {"budgets": [{"recording": "right"}]}, names["test_caps"]
        )


def test_every_misconception_has_a_wrong_solution_that_shows_it(lab: Lab) -> None:
    assert {mutant.hint for mutant in made_up("mutants", LAB)} == set(lab.misconceptions)


def test_the_storm_is_what_paper_says_and_the_budget_calms_it(lab: Lab, solved: dict[str, Any]) -> None:
    trace, permit = lab.read_json("lab-fanout-01.json"), lab.read_permit("lab.json")
    storm = simulate(trace)
    calm = simulate(trace, lambda: solved["Budget"](permit))
    assert storm.planned == 20 * 5 * (1 + 3 + 9) == storm.answered + storm.refused
    assert (calm.answered, calm.refused, calm.planned - calm.denied) == (80, 0, 80)
    assert max(depth for _, depth in storm.queue) == 30 > max(depth for _, depth in calm.queue)
    assert simulate(trace) == storm


@pytest.mark.parametrize(("client", "differs_at"), [(PatientClient, []), (HelpfulClient, [2, 3, 4])])
def test_only_the_client_with_a_hidden_retry_makes_two_runs_differ(
    lab: Lab, solved: dict[str, Any], client: type[PatientClient], differs_at: list[int]
) -> None:
    trace, permit = lab.read_json("lab-fanout-01.json"), lab.read_permit("lab.json")
    with cold_stub() as stub:
        first, second = (solved["replay"](trace, client(solved["Budget"](permit), stub)) for _ in range(2))
    assert solved["diff"](first, second) == differs_at
    assert (as_text(first) == as_text(second)) is (differs_at == [])


def test_a_jumping_clock_is_seen_under_any_name_and_gone_afterwards() -> None:
    before = time.monotonic()
    names: dict[str, Any] = {"now": time.monotonic_ns, "Day": datetime.datetime}
    with clock(jumping(), names):
        assert time.time() + 3600 <= time.monotonic() < names["now"]() / 1e9
        assert names["Day"].now() < datetime.datetime.now()
    assert before <= time.monotonic() < before + 60
    assert names == {"now": time.monotonic_ns, "Day": datetime.datetime}
