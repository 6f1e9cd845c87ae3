"""Looking up the public answers does not pay: every group needs hidden cases too (spec 2, cases and points)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import pytest

from grader.cases import Case, hidden_cases, public_cases
from grader.judge import Answer, judge
from tests.solved import ROOT
from workshop.lab import Check, Lab, all_labs

LABS = [pytest.param(lab, id=lab.prefix) for lab in all_labs(ROOT)]


def looked_up(case: Case, public: Sequence[Case]) -> Any:
    """The public answer to the same question, or, where there is none, to the one that reads most like it."""
    wanted = json.dumps(case.input, sort_keys=True)
    inputs = [json.dumps(known.input, sort_keys=True) for known in public]
    nearest = max(range(len(public)), key=lambda place: _likeness(wanted, inputs[place]))
    return public[nearest].accepted[0]


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).quick_ratio()


def earned(check: Check, public: Sequence[Case], hidden: Sequence[Case]) -> int:
    """The points of a student who looks every answer up; the ledger is taken to be right."""
    wrong = set()
    for case in (*public, *hidden):
        order_ids = tuple(f"lab-{number}" for number in range(1, (case.effects or 0) + 1))
        if not judge(case, Answer("value", looked_up(case, public), order_ids=order_ids)).is_right:
            wrong.add(case.group)
    return sum(group.points for group in check.groups if group.id not in wrong)


@pytest.mark.parametrize("lab", LABS)
def test_who_looks_up_the_public_answers_earns_at_most_half(lab: Lab) -> None:
    public, hidden = public_cases(lab), hidden_cases(lab, ROOT / "solutions")
    points = {check.id: earned(check, public[check.id], hidden[check.id]) for check in lab.checks}
    assert sum(points.values()) <= lab.points / 2, points


@pytest.mark.parametrize("lab", LABS)
def test_no_hidden_case_asks_what_a_public_one_asks(lab: Lab) -> None:
    public, hidden = public_cases(lab), hidden_cases(lab, ROOT / "solutions")
    for check in lab.checks:
        shown = [json.dumps(case.input, sort_keys=True) for case in public[check.id]]
        same = [case.id for case in hidden[check.id] if json.dumps(case.input, sort_keys=True) in shown]
        assert same == [], check.id


@pytest.mark.parametrize("lab", LABS)
def test_a_lab_is_worth_20_points(lab: Lab) -> None:
    assert lab.points == 20


def test_the_labs_of_the_course_take_the_minutes_that_it_plans() -> None:
    planned = {1: 49, 2: 41, 3: 60, 4: 80, 5: 60}
    assert planned.items() <= {lab.number: lab.minutes for lab in all_labs(ROOT)}.items()
