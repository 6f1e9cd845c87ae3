"""The judge: strict types, no evidence no points, and nothing of a hidden case in what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.cases import Case
from grader.judge import Answer, is_same, judge, read_reply

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def case(*accepted: Any, effects: int = 0, is_hidden: bool = False) -> Case:
    return Case("c", "g", None, "what was tried", {}, accepted, effects, is_hidden)


@pytest.mark.parametrize(
    ("left", "right"),
    [(True, 1), (False, 0), (2.0, 2), ("2", 2), (None, False), ([1], [True]), ({"a": 2}, {"a": 2.0}), ([], {})],
)
def test_values_of_different_json_types_differ(left: Any, right: Any) -> None:
    assert not is_same(left, right)


@given(JSON)
def test_a_value_is_the_same_as_itself_after_a_trip_through_json(value: Any) -> None:
    assert is_same(json.loads(json.dumps(value)), value)


@given(JSON, JSON)
def test_sameness_is_sameness_of_canonical_json(left: Any, right: Any) -> None:
    text = [json.dumps(value, sort_keys=True) for value in (left, right)]
    assert is_same(left, right) == (text[0] == text[1]) or 0.0 in (left, right)


@pytest.mark.parametrize("kind", ["silent", "not_json", "raised", "something else"])
def test_whatever_is_not_a_value_earns_nothing(kind: str) -> None:
    assert not judge(case(None), Answer(kind)).is_right


def test_any_of_the_accepted_answers_is_right() -> None:
    assert all(judge(case("poll", "hand_off"), Answer("value", value)).is_right for value in ("poll", "hand_off"))
    assert not judge(case("poll", "hand_off"), Answer("value", "stop")).is_right


def test_the_right_answer_with_the_wrong_number_of_effects_is_wrong() -> None:
    verdict = judge(case("ok", effects=1), Answer("value", "ok", order_ids=("lab-7", "lab-8")))
    assert not verdict.is_right
    assert verdict.problem == "the right answer, but 2 side effects on the ledger instead of 1"


def test_order_ids_of_the_ledger_stand_where_the_table_says_so() -> None:
    verdict = judge(
        case([{"order_id": "$order1"}, "$order2"], effects=2),
        Answer("value", [{"order_id": "lab-41"}, "lab-42"], order_ids=("lab-41", "lab-42")),
    )
    assert verdict.is_right


def test_a_reader_sees_order_ids_as_if_the_ledger_had_started_at_one_also_such_as_were_never_issued() -> None:
    verdict = judge(case(["$order1", "$order2"], effects=2), Answer("value", ["lab-41"], order_ids=("lab-41",)))
    assert (verdict.expected, verdict.got) == ((["lab-1", "lab-2"],), ["lab-1"])


def test_an_order_id_that_the_ledger_did_not_issue_is_wrong() -> None:
    assert not judge(case("$order1", effects=1), Answer("value", "lab-1", order_ids=("lab-41",))).is_right
    assert not judge(case("$order1"), Answer("value", "lab-1")).is_right


@pytest.mark.parametrize("text", ["NaN", '{"a": 1, "a": 2}', "[1", "", "Infinity", '"\\ud800"', "[" * 100 + "]" * 100])
def test_what_is_not_strict_json_is_a_wrong_case(text: str) -> None:
    assert read_reply("value", text, ()).kind == "not_json"


@pytest.mark.parametrize("text", ["[" + "0," * 20_000 + "0]", '"' + "x" * 300_000 + '"'], ids=["parts", "bytes"])
def test_an_answer_that_would_take_long_to_read_is_a_wrong_case(text: str) -> None:
    answer = read_reply("value", text, ())
    assert judge(case(1), answer).problem == "a value far longer than any right one"


@pytest.mark.parametrize("is_hidden", [True, False])
def test_a_cell_that_is_not_filled_in_is_told_as_that(is_hidden: bool) -> None:
    answer = Answer("raised", detail="NotImplementedError (in your cell, line 9: raise NotImplementedError)")
    assert judge(case(1, is_hidden=is_hidden), answer).problem == "not filled in yet"


def test_a_hidden_case_tells_neither_expected_nor_got() -> None:
    verdict = judge(case({"secret": "MARKER"}, is_hidden=True), Answer("value", {"stash": "MARKER"}))
    assert "MARKER" not in repr((verdict.problem, verdict.got, verdict.expected))


def test_a_hidden_input_in_an_exception_is_not_told() -> None:
    """The child's word for what it raised is untrusted: it could be the hidden input itself."""
    for detail in ("MARKER", "ValueError: MARKER", "MARKERError"):
        assert "MARKER" not in judge(case(1, is_hidden=True), Answer("raised", detail=detail)).problem
    for known in ("KeyError", "BudgetDenied", "GateError"):
        assert judge(case(1, is_hidden=True), Answer("raised", detail=known)).problem == f"raised {known}"
