"""Tables and pictures in JupyterLab: readable in both themes, at twice the size, and to a screen reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

SHOW_CASES = """
from workshop.charts import CaseRow, as_text, call_tree, case_table, decision_list, queue_depth

tools = ("search", "search", "http_get", "http_get")
admitted = [{"tool": tool, "ok": True, "reason": "admit"} for tool in tools]
denied = {"tool": "http_get", "ok": False, "reason": "per_tool_cap"}
rows = [
    CaseRow("Two searches, both under their cap", as_text(admitted[:2]), as_text(admitted[:2]), True),
    CaseRow("The third http_get is one too many",
            as_text([*admitted, denied]), as_text([*admitted, admitted[2]]), False),
    CaseRow("A tool that the permit does not name", '"unknown_tool"', "raised KeyError", False),
    CaseRow("An empty trace", "[]", "[]", True),
]
case_table(rows, title="Counting gates", passed=2, total=4, points=(4, 6),
           hint="Look at the call that reaches its cap exactly: is it still allowed?")
"""
SHOW_GREEN = 'case_table(rows[:1], title="Counting gates", passed=1, total=1, points=(6, 6))'
SHOW_DECISIONS = """
class Spent:
    permit = {"max_total_calls": 16, "max_depth": 3,
              "tools": {"search": {"max_calls": 4}, "http_get": {"max_calls": 2}}}
    total_calls, per_tool, depth = 4, {"search": 2, "http_get": 2}, 1

decision_list([*admitted, denied, {**denied, "tool": "shell", "reason": "unknown_tool"}], Spent())
"""
SHOW_TREE = """
def call(label, *children, denied=None):
    return {"label": label, "denied": denied, "children": list(children)}

call_tree(call("agent", call("search"), call("http_get", call("retry"), call("retry")),
               call("http_get", call("retry"), call("retry"), denied="per_tool_cap")))
"""
SHOW_QUEUE = """
queue_depth([(t / 2, min(40, 3 * t) if t < 50 else max(0, 90 - t)) for t in range(100)],
            [(t / 2, min(6, t) if t < 60 else 2) for t in range(100)])
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_charts_are_accessible_and_fit_at_twice_the_size(
    lab_server: Callable[..., Any],
    tmp_path: Path,
    page: Any,
    write_notebook: Callable[..., Path],
    serious_faults: Callable[..., list[str]],
    screenshot: Callable[..., None],
    theme: str,
) -> None:
    write_notebook(tmp_path, "charts.ipynb", SHOW_CASES, SHOW_GREEN, SHOW_DECISIONS, SHOW_TREE, SHOW_QUEUE)
    page.set_viewport_size({"width": 1280, "height": 3000})
    lab_server(tmp_path, theme=theme).open(page, "charts.ipynb").run_all()
    charts = page.locator(".ao-chart")
    expect(charts).to_have_count(5)
    for number, name in enumerate(("cases", "cases-green", "decisions", "call-tree", "queue-depth")):
        screenshot(charts.nth(number), f"{name}-{theme}")
    assert serious_faults(page) == []
    expect(page.get_by_role("img", name="The calls of one agent. 4 calls ran, 1 was denied")).to_be_visible()
    expect(page.get_by_role("img", name="2 of 4 cases right")).to_be_visible()

    page.set_viewport_size({"width": 640, "height": 1500})  # what 200 % leaves of a 1280 pixel screen
    page.wait_for_timeout(300)
    for number in range(charts.count()):
        overflow = charts.nth(number).evaluate("chart => chart.scrollWidth - chart.clientWidth")
        assert overflow <= 0, f"chart {number} is cut at 200 %"
    screenshot(page, f"charts-200-{theme}")
