"""Charts say what happened in words, escape what students return, and are the same bytes every time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workshop.charts import CallNode, CaseRow, as_text, call_tree, case_table, decision_list, queue_depth
from workshop.difference import Cut, difference
from workshop.panel import Panel

ADMITTED = [{"tool": "search", "ok": True, "reason": "admit"}, {"tool": "http_get", "ok": True, "reason": "admit"}]
DENIED = {"tool": "http_get", "ok": False, "reason": "per_tool_cap"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


class Words(HTMLParser):
    """The text of a page, without its styles and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.hidden = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.hidden = tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.words.append(data)


def words(panel: Panel) -> str:
    parser = Words()
    parser.feed(panel.html)
    return " ".join(parser.words)


def table(*rows: CaseRow, hint: str = "") -> Panel:
    passed = sum(row.ok for row in rows)
    return case_table(rows, title="Counting gates", passed=passed, total=len(rows), points=(4, 6), hint=hint)


def call(label: str, *children: CallNode, denied: str | None = None) -> CallNode:
    return {"label": label, "denied": denied, "children": list(children)}


def test_the_header_tells_cases_and_points_so_far() -> None:
    shown = table(CaseRow("a", "1", "1", True), CaseRow("b", "1", "2", False))
    for told in (words(shown), shown.text):
        assert "1 of 2 cases · 4 of 6 points" in told


def test_the_bar_has_one_part_a_case_and_a_name() -> None:
    shown = table(CaseRow("a", "1", "1", True), CaseRow("b", "1", "2", False))
    assert 'role="img" aria-label="1 of 2 cases right"><span></span><span class="ao-no"></span>' in shown.html


def test_right_and_wrong_are_told_by_a_word_not_only_by_colour() -> None:
    shown = words(table(CaseRow("a", "1", "1", True), CaseRow("b", "1", "2", False)))
    assert "✓ right" in shown
    assert "✗ wrong" in shown


def test_a_right_answer_is_not_written_twice() -> None:
    shown = words(table(CaseRow("a", '"stop"', '"stop"', True), CaseRow("b", '"stop" or "poll"', '"poll"', True)))
    assert shown.count('"stop"') == 2
    assert "the same" in shown
    assert '"poll"' in shown


def test_the_first_difference_of_a_long_answer_is_marked_and_named() -> None:
    expected, got = as_text([*ADMITTED, *ADMITTED, DENIED]), as_text([*ADMITTED, *ADMITTED, ADMITTED[1]])
    shown = table(CaseRow("The third http_get", expected, got, False))
    assert '<mark class="ao-right">false</mark>' in shown.html
    assert '<mark class="ao-left">true</mark>' in shown.html
    assert "first difference: item 5 › ok" in words(shown)
    assert "»false«" in shown.text


@pytest.mark.parametrize(
    ("expected", "got", "place"),
    [
        ([1, 2], [1], "2 items expected, 1 given"),
        ({"a": {"b": 1}}, {"a": {"b": True}}, "a › b"),
        ({"a": 1}, {}, "a is missing"),
        ({}, {"a": 1}, "a is not expected"),
        (2, 2.0, ""),
    ],
)
def test_a_difference_is_named_by_its_place(expected: object, got: object, place: str) -> None:
    assert difference(as_text(expected), as_text(got)).place == place


def test_an_answer_that_is_no_json_is_marked_whole() -> None:
    found = difference('"admit"', "raised KeyError")
    assert found.expected == Cut('"admit"', "", "")
    assert found.got == Cut("", "raised KeyError", "")


def test_what_was_raised_is_told_up_to_the_line_it_came_from() -> None:
    raised = f"raised KeyError: 'url' (in your cell, line 20: if tool == 'http_get' and {'a' * 60} in args['url']:)"
    assert difference("[" + "1, " * 99 + "1]", raised).got.marked == raised
    assert raised in table(CaseRow("http_get without a URL", "1", raised, False)).text


def test_a_cut_shows_as_much_behind_a_difference_as_there_is_room() -> None:
    permit = as_text({"max_depth": True, "tools": {"search": {"max_args_bytes": 200, "max_calls": 2}}})
    assert difference('"denied"', permit + " " * 99).got.after.startswith(permit[1:])


def test_a_right_value_in_a_wrong_case_marks_nothing() -> None:
    assert difference("[1]", "[1]").got.marked == ""


@given(json_values, json_values)
def test_a_cut_always_keeps_a_difference_in_sight(expected: object, got: object) -> None:
    left, right = as_text(expected), as_text(got)
    found = difference(left, right)
    if left != right:
        assert found.expected != found.got
        assert found.got.marked or found.expected.marked
    for cut in (found.expected, found.got):
        assert len(cut.before + cut.marked + cut.after) < 150


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_a_student_returns_is_text_and_can_be_sent(what: str, got: str) -> None:
    shown = table(CaseRow(what, "1", got, False), hint=what)
    shown.html.encode("utf-8")
    shown.text.encode("utf-8")
    assert "\x1b" not in shown.html + shown.text


def test_markup_in_an_answer_is_escaped() -> None:
    evil = "<img src=x onerror=alert(1)>"
    shown = [
        table(CaseRow(evil, as_text(evil), evil, False), hint=evil),
        decision_list([{"tool": evil, "ok": False, "reason": evil}]),
        call_tree(call(evil, call(evil, denied=evil)), title=evil),
    ]
    for panel in shown:
        assert "<img" not in panel.html


def test_a_lone_surrogate_and_a_terminal_escape_are_spelled_out() -> None:
    shown = table(CaseRow("a", "1", "\ud800\x1b[31m", False))
    assert "\\ud800\\x1b[31m" in shown.text


def test_only_the_first_denial_is_marked() -> None:
    shown = decision_list([*ADMITTED, DENIED, DENIED])
    assert shown.html.count("first denial") == 1
    assert shown.text.splitlines()[3].endswith("per_tool_cap  < first denial")


def test_the_counters_stand_beside_the_decisions() -> None:
    class Spent:
        permit: Mapping[str, Any] = {"max_total_calls": 16, "max_depth": 3, "tools": {"search": {"max_calls": 4}}}
        total_calls = 2
        per_tool: Mapping[str, int] = {"search": 1, "shell": 1}
        depth = 1

    shown = decision_list(ADMITTED, Spent())
    for line in ("all calls: 2 of 16", "search: 1 of 4", "shell: 1, not in the permit"):
        assert line in shown.text


def test_a_row_without_its_keys_is_shown_not_raised() -> None:
    assert "✗ denied" in decision_list([{}]).text


def test_what_is_below_a_denied_call_never_happened() -> None:
    shown = call_tree(call("agent", call("search"), call("http_get", call("retry"), denied="total_cap")))
    assert "1 call ran, 1 was denied, 1 never happened." in shown.text
    assert "http_get ✗ denied: total_cap" in shown.text
    assert "retry (never happened)" in shown.text
    assert shown.html.count('class="ao-cut"') == 1


def test_a_storm_is_told_as_a_number_where_it_does_not_fit() -> None:
    wave = [call("http_get", *[call("retry") for _ in range(20)]) for _ in range(20)]
    shown = call_tree(call("agent", *wave))
    assert "420 calls ran" in shown.text
    assert "and 252 calls more, 0 of them stopped by the budget" in shown.text
    assert len(shown.text.splitlines()) < 80


def test_the_queue_tells_its_peaks() -> None:
    shown = queue_depth([(0, 0), (1, 30), (9, 2)], [(0, 0), (2, 5)])
    assert "Without the budget, at most 30 waited, first at 1 s. With it, at most 5 waited, first at 2 s." in (
        shown.text
    )


@pytest.mark.parametrize("series", [[], [(0.0, 0.0)], [(0.0, 0.0), (0.001, 1.0)], [(0.0, 1.0), (99999.0, 123456.0)]])
def test_the_queue_can_be_drawn_for_any_series(series: list[tuple[float, float]]) -> None:
    queue_depth(series, [])


@pytest.mark.parametrize(
    "shown",
    [call_tree(call("agent", call("search"), call("x", call("y"), denied="cap"))), queue_depth([(0, 1), (2, 3)], [])],
)
def test_a_picture_is_well_formed_and_named(shown: Panel) -> None:
    start, end = shown.html.index("<svg"), shown.html.index("</svg>") + len("</svg>")
    picture = ElementTree.fromstring(shown.html[start:end])
    assert picture.get("role") == "img"
    title = picture.find("title")
    assert title is not None
    assert title.text == picture.get("aria-label")
    assert " id=" not in shown.html


def test_charts_import_neither_widgets_nor_plots() -> None:
    """`check` has to answer within a quarter of a second."""
    code = "import sys, workshop.charts, workshop.clock; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"ipywidgets", "anywidget", "matplotlib", "IPython", "simpy"} & set(loaded)
