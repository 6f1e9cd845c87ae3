"""Points without work: what constants, lazy students and a forger can earn, apart from a listed remainder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.cases import Case, hidden_cases, public_cases
from grader.judge import Answer, is_same, judge
from grader.made_up import MadeUp
from tests.hostile.forger import forge
from tests.hostile.lazy import lazy_students
from tests.solved import ROOT
from tests.submissions import groups_lost, judged_here
from workshop.lab import Check, Group, Lab, all_labs

LABS = all_labs(ROOT)

EARNED_BY_LAZINESS = {
    "one_request": "who sends the one whole request, and no more, has done what the group asks",
}
EARNED_BY_FORGERY = {
    "test_lets_through": "a recording is played in the student's process: its first state says what it does with shell",
    "test_row_only": "a recording is played in the student's process: its first state says what it does with shell",
    "delay_growth": "the ceiling is one formula, and that formula is the solution",
    "delay_cap": "the ceiling is one formula, and that formula is the solution",
    "one_key": "one key an intent is one line, and that line is the solution",
    "overlap": "the threads run in a process that the student owns; only the order id comes from outside",
    "process_gone": "who is alive is seen in the sandbox, from a process that the student owns",
    "family_gone": "who is alive is seen in the sandbox, from a process that the student owns",
    "resume": "the new run is a copy of the old one's caps, and that copy is the solution",
}


def groups_of(lab: Lab) -> Iterator[tuple[Check, Group, list[Case], list[Case]]]:
    """Each group with its public and its hidden cases."""
    public, hidden = public_cases(lab), hidden_cases(lab, ROOT / "solutions")
    for check in lab.checks:
        for group in check.groups:
            of_group = [[case for case in table[check.id] if case.group == group.id] for table in (public, hidden)]
            yield check, group, *of_group


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.prefix)
def test_no_answer_is_right_for_all_cases_of_a_group(lab: Lab) -> None:
    fallen = [
        (check.id, group.id, answer)
        for check, group, public, hidden in groups_of(lab)
        for answer in public[0].accepted
        if all(any(is_same(answer, right) for right in case.accepted) for case in (*public, *hidden))
    ]
    assert fallen == []


@pytest.mark.parametrize(
    ("lab", "student"),
    [pytest.param(lab, one, id=f"{lab.prefix}-{one.name}") for lab in LABS for one in lazy_students(lab.id)],
)
def test_a_lazy_student_earns_nothing(lab: Lab, student: MadeUp) -> None:
    every = {group.id for check in lab.checks for group in check.groups}
    assert every - groups_lost(judged_here(lab.id, student)) <= set(EARNED_BY_LAZINESS)


def test_a_forger_earns_the_listed_groups_and_no_others() -> None:
    fallen = {
        group.id
        for lab in LABS
        for check, group, _, hidden in groups_of(lab)
        if all(is_forged(check, case, public_cases(lab)[check.id]) for case in hidden)
    }
    assert fallen == set(EARNED_BY_FORGERY)


def is_forged(check: Check, case: Case, public: tuple[Case, ...]) -> bool:
    """Whether the forger's answer to a hidden case is judged right, with the ledger in the forger's hands."""
    forged = forge(check.id, case.input, public)
    order_ids = tuple(f"lab-{number}" for number in range(1, (forged.effects or 0) + 1))
    value = forged.value
    if isinstance(value, dict) and value.get("applied") == ["$order1"]:
        value = {**value, "applied": list(order_ids)}
    return judge(case, Answer("value", value, order_ids=order_ids)).is_right
