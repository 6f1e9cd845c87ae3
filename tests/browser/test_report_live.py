"""The class report in a browser: readable in both themes and at twice the size; nothing runs that students wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import expect

from grader.launch import Launch
from grader.report import write_report
from tests.grader.planted_course import copy_course
from tests.grader.small_class import grade, hand_in_small_class, lab_of

NAME = "<script>hacked=1</script><img src=http://127.0.0.1:9/ onerror=hacked=1>"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, launch: Launch) -> str:
    """The address of a small class's report."""
    course = copy_course(tmp_path_factory.mktemp("report"))
    hand_in_small_class(course)
    grade(course, launch)
    with Gradebook(course.db_url, "admit-one") as gradebook:
        gradebook.update_or_create_student("s1", first_name=NAME)
    write_report(course, [lab_of(course)], course.report)
    return Path(course.report).as_uri()


@pytest.fixture
def page(fresh_page: Any) -> Any:
    return fresh_page


@pytest.fixture
def opened(report: str, page: Any) -> Any:
    page.goto(report)
    return page


def column(page: Any, number: int) -> list[str]:
    texts: list[str] = page.locator(f"#lab1-map tbody tr > :nth-child({number})").all_inner_texts()
    return texts


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible_fits_at_twice_the_size_and_fetches_nothing(
    report: str,
    page: Any,
    serious_faults: Callable[..., list[str]],
    screenshot: Callable[..., None],
    theme: str,
) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.emulate_media(color_scheme=theme)
    page.goto(report)
    assert asked == [report]
    assert complaints == [], "the page's own style and script agree with its policy"
    assert page.evaluate("typeof hacked") == "undefined"
    assert serious_faults(page, "body") == []
    screenshot(page, f"report_{theme}")
    page.set_viewport_size({"width": 640, "height": 450})
    assert page.evaluate("document.documentElement.scrollWidth") == 640
    screenshot(page, f"report_{theme}_twice_the_size")


def test_a_head_sorts_the_heat_map_by_keyboard_and_a_figure_leads_to_its_evidence(opened: Any) -> None:
    head = opened.locator("#lab1-map th", has_text="Points")
    head.get_by_role("button").focus()
    opened.keyboard.press("Enter")
    points = [int(text.partition("/")[0]) for text in column(opened, 6)]
    assert points == sorted(points)
    assert head.get_attribute("aria-sort") == "ascending"
    opened.keyboard.press("Enter")
    assert [int(text.partition("/")[0]) for text in column(opened, 6)] == sorted(points, reverse=True)
    figure = opened.locator("#lab1-map td.none a").first
    figure.focus()
    opened.keyboard.press("Enter")
    assert opened.locator("tr:target").bounding_box()["y"] < 900


def test_the_evidence_is_printed_when_it_is_asked_for(opened: Any) -> None:
    opened.emulate_media(media="print")
    expect(opened.locator("#evidence")).not_to_be_visible()
    opened.emulate_media(media="screen")
    opened.get_by_label("Print the evidence as well").check()
    opened.emulate_media(media="print")
    expect(opened.locator("#evidence")).to_be_visible()


def test_it_is_read_without_a_script(report: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report)
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("row", name="s0").first).to_be_visible()
    context.close()
