"""The first decision that differs is read from the texts of a verdict, and nothing is made up where there is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.cases import hidden_cases, public_cases
from grader.first_denial import first_denial
from tests.solved import ROOT
from workshop.lab import Lab, all_labs

WORDS = ["admit", "total_cap", "depth_cap", "returned", "stop", "poll", "hand_off", "REJECT", "schema", "APPLY"]


@pytest.mark.parametrize(
    ("expected", "got", "found"),
    [
        ('["admit", "total_cap"]', '["admit", "admit"]', ("total_cap", "admit")),
        ('["admit", "total_cap"]', '["admit"]', ("total_cap", "nothing")),
        ('["admit"]', '["admit", "admit"]', ("nothing", "admit")),
        ('["depth_cap"]', '["too_deep"]', ("depth_cap", "too_deep")),
        ('[{"ok": false, "reason": "total_cap"}]', '[{"ok": true, "reason": "admit"}]', ("total_cap", "admit")),
        ('[{"ok": true, "reason": "admit"}]', "[]", ("admit", "nothing")),
        ('{"asked": [], "ended": "total_cap"}', '{"asked": ["q"], "ended": "returned"}', ("total_cap", "returned")),
        ('[{"decision": "REJECT", "reason": "schema"}]', '[{"decision": "APPLY"}]', ("REJECT", "APPLY")),
        ('["poll"] or ["hand_off"]', '["stop"]', ("poll or hand_off", "stop")),
        ('"stop"', "null", ("stop", "null")),
        ('"stop"', '{"a": 1}', ("stop", "an object")),
        ("[true, false]", "[true, true]", None),
        ('["admit"]', "not filled in yet", None),
        ('["admit"]', "raised KeyError: 'admit'", None),
        ('…"admit"]', '…"total_cap"] (first difference: item 5)', None),
        ('["admit"] and more', '["total_cap"]', None),
        ("", "another answer than expected", None),
    ],
)
def test_the_first_decision_that_differs(expected: str, got: str, found: tuple[str, str] | None) -> None:
    assert first_denial(expected, got, WORDS) == found


@pytest.mark.parametrize("lab", all_labs(ROOT), ids=lambda lab: lab.id)
def test_a_labs_decisions_are_those_of_its_right_answers(lab: Lab) -> None:
    tables = (public_cases(lab), hidden_cases(lab, ROOT / "solutions"))
    answers = {word for table in tables for rows in table.values() for case in rows for word in words(case.accepted)}
    assert lab.decisions
    assert set(lab.decisions) <= answers, "lab.toml names a decision that no right answer has"


def words(value: Any) -> set[str]:
    return set(json.dumps(value).split('"'))
