"""Points without work: what constants, lazy students and a forger can earn, apart from what a lab lists."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.cases import Case, hidden_cases, public_cases
from grader.judge import Answer, is_same, judge
from grader.made_up import MadeUp
from tests.hostile.forger import forge
from tests.hostile.lazy import lazy_students
from tests.hostile.unearned import read_unearned
from tests.solved import ROOT
from tests.submissions import groups_lost, judged_here
from workshop.lab import Check, Group, Lab, all_labs

LABS = all_labs(ROOT)


def groups_of(lab: Lab) -> Iterator[tuple[Check, Group, list[Case], list[Case]]]:
    """Each group with its public and its hidden cases."""
    public, hidden = public_cases(lab), hidden_cases(lab, ROOT / "solutions")
    for check in lab.checks:
        for group in check.groups:
            shown, kept = ([case for case in table[check.id] if case.group == group.id] for table in (public, hidden))
            yield check, group, shown, kept


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
    assert every - groups_lost(judged_here(lab.id, student)) <= set(read_unearned(lab.id).by_laziness)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.prefix)
def test_somebody_lazy_hands_in_every_lab(lab: Lab) -> None:
    assert lazy_students(lab.id), f"write tests/mutants/{lab.id}/unearned.toml"


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.prefix)
def test_a_forger_earns_the_listed_groups_and_no_others(lab: Lab) -> None:
    fallen = {
        group.id
        for check, group, _, hidden in groups_of(lab)
        if all(is_forged(check, case, public_cases(lab)[check.id]) for case in hidden)
    }
    assert fallen == set(read_unearned(lab.id).by_forgery)


def is_forged(check: Check, case: Case, public: tuple[Case, ...]) -> bool:
    """Whether the forger's answer to a hidden case is judged right, with the ledger in the forger's hands."""
    forged = forge(check.id, case.input, public)
    order_ids = tuple(f"lab-{number}" for number in range(1, (forged.effects or 0) + 1))
    value = forged.value
    if isinstance(value, dict) and value.get("applied") == ["$order1"]:
        value = {**value, "applied": list(order_ids)}
    return judge(case, Answer("value", value, order_ids=order_ids)).is_right
