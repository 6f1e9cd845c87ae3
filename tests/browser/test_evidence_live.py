"""The evidence log in JupyterLab: sorted by keyboard, readable at twice the size, and it takes no key."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from workshop.evidence import evidence_log
from workshop.lab import Lab

SAMPLE = Lab.find("lab5").read_json("evidence-sample.json")
SHOW_LOG = f"from workshop.evidence import evidence_log\n\nevidence_log({SAMPLE!r})"


@pytest.fixture
def opened(lab_server: Any, tmp_path: Path, page: Any, write_notebook: Callable[..., Path]) -> Any:
    write_notebook(tmp_path, "log.ipynb", SHOW_LOG)
    notebook = lab_server(tmp_path).open(page, "log.ipynb")
    notebook.run_all()
    return notebook


def column(page: Any, number: int) -> list[str]:
    texts: list[str] = page.locator(f".ao-chart tbody td:nth-child({number})").all_inner_texts()
    return texts


def test_a_head_sorts_by_numbers_and_turns_the_order_round(opened: Any, page: Any) -> None:
    head = page.locator(".ao-chart th").nth(6)
    head.get_by_role("button", name="bytes").focus()
    page.keyboard.press("Enter")
    assert column(page, 7) == ["0", "0", "0", "96", "118", "200"]
    assert head.get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Enter")
    assert column(page, 7) == ["200", "118", "96", "0", "0", "0"]
    assert head.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="step", exact=True).click()
    assert column(page, 1) == ["1", "2", "3", "4", "5", "6"]
    assert head.get_attribute("aria-sort") is None


def test_one_key_shortcuts_leave_the_notebook_alone(opened: Any, page: Any) -> None:
    before = opened.cell_ids()
    controls = page.locator(".ao-chart :is(th button, [role=region])")
    expect(controls).to_have_count(11)
    for number in range(controls.count()):
        controls.nth(number).focus()
        for key in "bxm":
            page.keyboard.press(key)
    assert opened.cell_ids() == before
    expect(page.locator(".jp-MarkdownCell")).to_have_count(0)


def test_it_is_a_plain_table_outside_a_notebook(fresh_page: Any) -> None:
    fresh_page.set_content(evidence_log(SAMPLE).html)
    expect(fresh_page.get_by_role("button")).to_have_count(0)
    expect(fresh_page.get_by_role("columnheader")).to_have_count(10)
    expect(fresh_page.get_by_role("cell", name=re.compile("✗ unknown_tool"))).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_it_fits_at_twice_the_size(
    lab_server: Callable[..., Any],
    tmp_path: Path,
    page: Any,
    write_notebook: Callable[..., Path],
    serious_faults: Callable[..., list[str]],
    screenshot: Callable[..., None],
    theme: str,
) -> None:
    write_notebook(tmp_path, "log.ipynb", SHOW_LOG)
    lab_server(tmp_path, theme=theme).open(page, "log.ipynb").run_all()
    chart = page.locator(".ao-chart")
    screenshot(chart, f"evidence-{theme}")
    assert serious_faults(page) == []
    page.set_viewport_size({"width": 640, "height": 1500})  # what 200 % leaves of a 1280 pixel screen
    page.wait_for_timeout(300)
    screenshot(chart, f"evidence-200-{theme}")
    assert chart.evaluate("chart => chart.scrollWidth - chart.clientWidth") <= 0
