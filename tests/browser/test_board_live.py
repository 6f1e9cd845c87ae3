"""The timing board in JupyterLab: it ticks, survives, stays in view, and takes no key from the notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

LAB_TOML = """
id = "lab1_fanout_replay"
number = 1
title = "Fan-out replay"
summary = "A storm of calls, and the budget that stops it."
packet = "the decision list of one replay, and one sentence that names the first denial"
[[block]]
id = "storm"
title = "Reproduce the storm"
minutes = 12
outcome = "say what this block was for"
[[block]]
id = "cap"
title = "Cap the fan-out"
minutes = 22
outcome = "say what this block was for"
[[block]]
id = "replay"
title = "Replay twice"
minutes = 15
outcome = "say what this block was for"
[[check]]
id = "lab1.counting"
block = "cap"
title = "Counting gates"
called = "It was called"
[[check.group]]
id = "counting"
title = "Counting"
points = 20
"""
SHOW_BOARD = 'from workshop.clock import board\nfrom workshop.lab import Lab\n\nboard(Lab.find("lab1"))'
SLEEP = "import time\ntime.sleep(8)"
TALL = "from IPython.display import HTML\nHTML('<div style=\"height: 3000px\">tall</div>')"
HOURS = 3600 * 1000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab as a student has it: data beside the notebook."""
    path = tmp_path_factory.mktemp("lab1")
    (path / "data").mkdir()
    (path / "data" / "lab.toml").write_text(LAB_TOML)
    return path


@pytest.fixture(scope="module")
def server(lab_server: Callable[..., Any], folder: Path) -> Any:
    return lab_server(folder)


@pytest.fixture
def notebook(server: Any, folder: Path, page: Any, write_notebook: Callable[..., Path]) -> Any:
    write_notebook(folder, "lab1.ipynb", SHOW_BOARD, TALL)
    opened = server.open(page, "lab1.ipynb")
    opened.start_running_all()
    page.get_by_role("group", name="Timing board").wait_for()
    return opened


def seconds_left(page: Any) -> int:
    minutes, seconds = page.get_by_role("timer").inner_text().split(":")
    return int(minutes) * 60 + int(seconds)


def wait_for_a_tick(page: Any) -> None:
    timer = page.get_by_role("timer")
    expect(timer).not_to_have_text(timer.inner_text())


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def stored_under(page: Any) -> str:
    """The key of the only clock of this browser profile."""
    key: str = page.evaluate("() => Object.keys(localStorage).find(key => key.startsWith('admit-one.clock:'))")
    return key


def stored(page: Any) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(page.evaluate("key => localStorage.getItem(key)", stored_under(page)))
    return state


def test_it_ticks_while_a_cell_runs(server: Any, folder: Path, page: Any, write_notebook: Callable[..., Path]) -> None:
    write_notebook(folder, "busy.ipynb", SHOW_BOARD, SLEEP)
    server.open(page, "busy.ipynb").start_running_all()
    press(page, "Start")
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^11:([0-4].|5[0-8])$"))
    expect(page.locator(".jp-InputPrompt", has_text="*"), "the second cell should still run").to_have_count(1)
    assert 11 * 60 <= seconds_left(page) <= 12 * 60 - 2


def test_it_survives_a_kernel_restart_and_a_reload(notebook: Any, page: Any) -> None:
    press(page, "Start")
    notebook.wait_until_idle()
    notebook.restart_kernel()
    before = seconds_left(page)
    wait_for_a_tick(page)
    assert seconds_left(page) < before
    notebook.save()
    notebook.reload()
    page.get_by_role("timer").wait_for()
    assert seconds_left(page) < before
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()


def test_pause_jump_extra_time_and_reset(notebook: Any, page: Any) -> None:
    press(page, "Start")
    wait_for_a_tick(page)
    press(page, "Pause")
    left = seconds_left(page)
    page.wait_for_timeout(1300)
    assert seconds_left(page) == left
    page.get_by_role("button", name="Cap the fan-out").click()
    assert seconds_left(page) == 22 * 60
    page.get_by_label("Extra time").select_option("1.5")
    assert seconds_left(page) == 33 * 60
    press(page, "Next block")
    assert seconds_left(page) == 15 * 60 * 1.5
    press(page, "Reset")
    press(page, "Really reset?")
    assert seconds_left(page) == 12 * 60 * 1.5
    assert stored(page)["spent"] == []


def test_its_state_is_kept_under_the_notebooks_path(notebook: Any, page: Any) -> None:
    press(page, "Start")
    path = notebook.url.partition("/lab/tree/")[2].removesuffix("?reset")
    assert "/" in path
    assert stored_under(page) == f"admit-one.clock:lab1_fanout_replay:{path}"


def test_when_time_is_short_it_names_the_minimum_packet(notebook: Any, page: Any) -> None:
    press(page, "Start")
    notebook.wait_until_idle()
    notebook.save()
    _age_by(page, 13 / 60)
    notebook.reload()
    note = page.locator(".ao-board [role=status]")
    note.filter(has_text="Time is short. Hand in at least: the decision list").wait_for()
    assert page.get_by_role("timer").inner_text().startswith("−1:")


def test_after_hours_it_asks_whether_to_continue(notebook: Any, page: Any) -> None:
    press(page, "Start")
    notebook.wait_until_idle()
    notebook.save()
    _age_by(page, 5)
    notebook.reload()
    question = page.get_by_role("group", name="Continue or start again")
    question.wait_for()
    left = seconds_left(page)
    assert left > 11 * 60, "the hours away must not count"
    page.get_by_label("Extra time").select_option("2")
    question.get_by_role("button", name="Continue").click()
    expect(question).not_to_be_visible()
    assert left + 11 * 60 <= seconds_left(page) <= left + 12 * 60


def test_a_board_that_was_never_started_asks_nothing(notebook: Any, page: Any) -> None:
    notebook.wait_until_idle()
    page.get_by_label("Extra time").select_option("1.25")
    notebook.save()
    _age_by(page, 5)
    notebook.reload()
    page.get_by_role("timer").wait_for()
    expect(page.get_by_role("group", name="Continue or start again")).not_to_be_visible()
    assert seconds_left(page) == 15 * 60


def _age_by(page: Any, hours: float) -> None:
    """Make the stored state older; a page that is being left must not write over it."""
    state = stored(page)
    if state["since"] is not None:
        state["since"] -= hours * HOURS
    state["seen"] -= hours * HOURS
    page.evaluate(
        """([key, text]) => {
            localStorage.setItem(key, text);
            Storage.prototype.setItem = () => {};
        }""",
        [stored_under(page), json.dumps(state)],
    )


def test_it_stays_in_view_as_one_row(notebook: Any, page: Any, screenshot: Callable[..., None]) -> None:
    notebook.wait_until_idle()
    press(page, "Keep in view")
    page.locator(".jp-WindowedPanel-outer").evaluate("scroller => { scroller.scrollTop = 1500 }")
    page.wait_for_timeout(300)
    row = page.locator(".ao-board").bounding_box()
    scroller = page.locator(".jp-WindowedPanel-outer").bounding_box()
    assert 0 <= row["y"] - scroller["y"] < 12
    assert row["height"] < 60
    screenshot(page, "board-row")
    notebook.save()
    notebook.reload()
    page.get_by_role("button", name="Back to its place", exact=True).click()
    assert page.locator(".ao-board").bounding_box()["height"] > 150


def test_it_fills_a_projector(notebook: Any, page: Any, screenshot: Callable[..., None]) -> None:
    press(page, "Full screen")
    page.wait_for_function("() => document.fullscreenElement?.matches('.ao-board')")
    page.wait_for_timeout(300)
    fits = page.locator(".ao-board").evaluate("board => board.scrollHeight <= board.clientHeight + 1")
    assert fits
    assert page.get_by_role("timer").bounding_box()["height"] > 200
    screenshot(page, "board-wall")
    press(page, "Leave full screen")
    page.wait_for_function("() => !document.fullscreenElement")


def test_one_key_shortcuts_leave_the_notebook_alone(notebook: Any, page: Any) -> None:
    notebook.wait_until_idle()
    before = notebook.cell_ids()
    controls = page.locator(".ao-board :is(button, select)")
    assert controls.count() >= 9
    for number in range(controls.count()):
        if not controls.nth(number).is_visible():
            continue
        controls.nth(number).focus()
        for key in "bxm":
            page.keyboard.press(key)
    assert notebook.cell_ids() == before
    expect(page.locator(".jp-MarkdownCell")).to_have_count(0)


def test_it_is_a_plain_table_outside_a_notebook(folder: Path, fresh_page: Any) -> None:
    from workshop.clock import board
    from workshop.lab import Lab

    fresh_page.set_content(board(Lab.find("lab1", beside=folder)).html)
    expect(fresh_page.get_by_role("button")).to_have_count(0)
    assert fresh_page.get_by_role("rowheader").all_inner_texts() == [
        "Reproduce the storm",
        "Cap the fan-out",
        "Replay twice",
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    lab_server: Callable[..., Any],
    folder: Path,
    page: Any,
    write_notebook: Callable[..., Path],
    serious_faults: Callable[..., list[str]],
    screenshot: Callable[..., None],
    theme: str,
) -> None:
    write_notebook(folder, f"{theme}.ipynb", SHOW_BOARD)
    opened = lab_server(folder, theme=theme).open(page, f"{theme}.ipynb")
    opened.run_all()
    press(page, "Start")
    screenshot(page.locator(".ao-board"), f"board-{theme}")
    assert serious_faults(page) == []
    press(page, "Keep in view")
    assert serious_faults(page) == []
