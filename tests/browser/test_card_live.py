"""The stamp card in JupyterLab: filled by keyboard, compared, kept in a file, printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

DIGEST = "b52a59f92584c188d1d10baa945cff6ec28593fce92f0c2291a3c46f9f5e7df4"
OTHER = "9bc2ef577e5d29df8810a1d3c4d49583aaeb00a12dd06534ee0e54533feeb5f2"
ROWS = [
    ("create_lab_order", DIGEST, "intent-alpha-01", "1", "APPLY"),
    ("create_lab_order", DIGEST, "intent-alpha-01", "1", "REPLAY_OK"),
    ("create_lab_order", OTHER, "intent-alpha-01", "1", "REJECT"),
    ("create_lab_order", "", "", "1", "REJECT"),
]
FIELDS = ("tool_name", "arg_digest", "idempotency_key", "side_effect_counter", "decision")
SHOW_CARD = f"""
from workshop.cards import StampCard

StampCard(read_transcripts=lambda: {{letter: dict(zip({FIELDS!r}, row)) for letter, row in zip("ABCD", {ROWS!r})}})
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab4")


@pytest.fixture(scope="module")
def servers(lab_server: Callable[..., Any], root: Path) -> dict[str, Any]:
    return {theme: lab_server(root, theme=theme) for theme in ("light", "dark")}


@pytest.fixture
def open_card(
    servers: dict[str, Any], root: Path, page: Any, request: Any, write_notebook: Callable[..., Path]
) -> Callable[..., Any]:
    """Open a fresh card in a folder of its own."""
    shared = page

    def run(theme: str = "light", page: Any = shared) -> Any:
        folder = root / f"{request.node.name}".replace("[", "-").replace("]", "")
        folder.mkdir(exist_ok=True)
        write_notebook(folder, "lab4.ipynb", SHOW_CARD)
        opened = servers[theme].open(page, f"{folder.name}/lab4.ipynb")
        opened.run_all()
        page.get_by_role("form", name="Stamp card").wait_for()
        return opened, folder / "card.json"

    return run


def fill_by_keyboard(page: Any) -> None:
    """Every field in the order of the Tab key: a row of the card, then the next."""
    page.get_by_label("Drill A, tool_name").focus()
    for values in zip(*ROWS, strict=True):
        for value in values:
            page.keyboard.type(value)
            page.keyboard.press("Tab")


def fill(page: Any) -> None:
    """The same at once, where it does not matter how the fields were filled."""
    for drill, values in zip("ABCD", ROWS, strict=True):
        for name, value in zip(FIELDS, values, strict=True):
            field = page.get_by_label(f"Drill {drill}, {name}")
            if name == "decision":
                field.select_option(value)
            else:
                field.fill(value)


def test_filled_by_keyboard_compared_and_kept(open_card: Callable[..., Any], page: Any) -> None:
    _, card = open_card()
    fill_by_keyboard(page)
    page.keyboard.press("Enter")  # the Tab after the last field is on the button
    page.get_by_role("status").filter(has_text="20 of 20 fields agree with the transcripts.").wait_for()
    kept = json.loads(card.read_text())
    assert [tuple(kept["values"][drill].values()) for drill in "ABCD"] == ROWS
    assert kept["misses"] == []


def test_the_comparison_does_not_overtake_the_last_key(open_card: Callable[..., Any], page: Any) -> None:
    open_card()
    page.get_by_label("Drill C, idempotency_key").focus()
    page.keyboard.type("intent-alpha-01", delay=1)
    page.keyboard.press("Enter")
    mark = page.locator("td", has=page.get_by_label("Drill C, idempotency_key")).locator(".ao-mark")
    mark.filter(has_text="✓ same").wait_for()


def test_a_miss_stays_on_the_card_when_it_is_put_right(open_card: Callable[..., Any], page: Any) -> None:
    opened, card = open_card()
    decision = page.get_by_label("Drill B, decision")
    decision.select_option("APPLY")
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("B, decision: wrote APPLY, the transcript has REPLAY_OK.").wait_for()
    assert decision.get_attribute("aria-invalid") == "true"
    decision.select_option("REPLAY_OK")
    page.get_by_role("button", name="Compare").click()
    page.locator("td", has=decision).get_by_text("✓ same").wait_for()
    assert json.loads(card.read_text())["misses"] == [
        {"drill": "B", "field": "decision", "written": "APPLY", "transcript": "REPLAY_OK"}
    ]
    opened.restart_kernel()
    opened.run_all()
    page.get_by_text("B, decision: wrote APPLY, the transcript has REPLAY_OK.").wait_for()
    assert page.get_by_label("Drill B, decision").input_value() == "REPLAY_OK"


def test_an_empty_field_does_not_show_what_the_transcript_has(open_card: Callable[..., Any], page: Any) -> None:
    open_card()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("still empty").first.wait_for()
    expect(page.get_by_role("form", name="Stamp card").get_by_text("intent-alpha-01")).to_have_count(0)


def test_it_prints_itself_filled_in_and_nothing_else(open_card: Callable[..., Any], fresh_page: Any) -> None:
    page = fresh_page
    page.add_init_script("window.print = () => { window.top.printed = document.documentElement.innerHTML }")
    open_card(page=page)
    page.get_by_label("Drill A, tool_name").fill("create_lab_order")
    page.get_by_role("button", name="Print the card").click()
    printed = page.wait_for_function("() => window.printed").json_value()
    assert "create_lab_order" in printed
    assert "<input" not in printed
    assert "lm-Widget" not in printed


def test_one_key_shortcuts_leave_the_notebook_alone(open_card: Callable[..., Any], page: Any) -> None:
    opened, _ = open_card()
    before = opened.cell_ids()
    controls = page.locator(".ao-card :is(input, select, button)")
    expect(controls).to_have_count(22)
    for number in range(controls.count()):
        controls.nth(number).focus()
        for key in "bxm":
            page.keyboard.press(key)
    assert opened.cell_ids() == before
    expect(page.locator(".ao-card"), "m must not turn the cell into text").to_be_visible()
    assert page.get_by_label("Drill D, tool_name").input_value() == "bxm"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    open_card: Callable[..., Any],
    page: Any,
    serious_faults: Callable[..., list[str]],
    screenshot: Callable[..., None],
    theme: str,
) -> None:
    open_card(theme)
    fill(page)
    page.get_by_label("Drill B, decision").select_option("APPLY")
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("19 of 20 fields").wait_for()
    screenshot(page.locator(".ao-card"), f"card-{theme}")
    assert serious_faults(page) == []
