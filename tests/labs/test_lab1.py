"""Lab 1: the oracle table, the recorded budgets, and what each made-up solution earns."""

from __future__ import annotations

import datetime
import time
from typing import Any

import pytest

from grader.diagnose import diagnose
from grader.drivers.clocks import clock, jumping
from grader.made_up import MadeUp
from tests.labs.record_lab1 import FILE, recorded_budgets
from tests.solved import solved_namespace
from tests.submissions import groups_lost, judged_here, made_up
from workshop.lab import Lab
from workshop.replay import HelpfulClient, PatientClient, canonical_json, cold_stub
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


def test_the_recorded_budgets_are_those_of_the_solved_notebook(lab: Lab) -> None:
    stored = lab.read_json(FILE)
    assert stored == recorded_budgets(), "run python -m tests.labs.record_lab1"


def test_the_lab_is_worth_twenty_points_in_forty_nine_minutes(lab: Lab) -> None:
    assert (lab.points, lab.minutes) == (20, 49)


@pytest.mark.parametrize("mutant", made_up("mutants", LAB), ids=lambda mutant: mutant.name)
def test_a_wrong_solution_loses_its_own_groups_and_its_feedback_names_the_mistake(lab: Lab, mutant: MadeUp) -> None:
    verdicts = judged_here(LAB, mutant)
    assert groups_lost(verdicts) == set(mutant.loses)
    found = {hint.id for verdict in verdicts.values() if (hint := diagnose(verdict.cases, lab))}
    assert found == {mutant.hint}


@pytest.mark.parametrize("variant", made_up("variants", LAB), ids=lambda variant: variant.name)
def test_a_right_solution_in_another_style_earns_full_marks(variant: MadeUp) -> None:
    assert groups_lost(judged_here(LAB, variant)) == set()


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
    assert (canonical_json(first) == canonical_json(second)) is (differs_at == [])


def test_a_jumping_clock_is_seen_under_any_name_and_gone_afterwards() -> None:
    before = time.monotonic()
    names: dict[str, Any] = {"now": time.monotonic_ns, "Day": datetime.datetime}
    with clock(jumping(), names):
        assert time.time() + 3600 <= time.monotonic() < names["now"]() / 1e9
        assert names["Day"].now() < datetime.datetime.now()
    assert before <= time.monotonic() < before + 60
    assert names == {"now": time.monotonic_ns, "Day": datetime.datetime}
