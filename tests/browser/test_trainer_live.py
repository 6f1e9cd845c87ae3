"""The retry table trainer and the five questions in JupyterLab: by keyboard, in both themes, without a kernel."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

SHOW = """
from workshop import open_lab
from workshop.quiz import Quiz
from workshop.trainer import RetryTrainer

lab = open_lab("lab3_retry_table")
quiz = Quiz(lab.read_json("quiz.json"))
display(RetryTrainer(lab), quiz)
"""
QUESTIONS = ("late_refund", "same_key", "posts", "owner", "last_delay")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab3")


@pytest.fixture(scope="module")
def servers(lab_server: Callable[..., Any], root: Path) -> dict[str, Any]:
    return {theme: lab_server(root, theme=theme) for theme in ("light", "dark")}


@pytest.fixture
def open_forms(
    servers: dict[str, Any], root: Path, page: Any, write_notebook: Callable[..., Path]
) -> Callable[..., Any]:
    """Open a notebook with both forms; its second cell prints the answers."""

    def run(theme: str = "light") -> Any:
        write_notebook(root, "lab3.ipynb", SHOW, "print(quiz.answers)")
        notebook = servers[theme].open(page, "lab3.ipynb")
        notebook.run_all()
        page.get_by_role("form", name="Questions").wait_for()
        return notebook

    return run


@pytest.fixture
def opened(open_forms: Callable[..., Any]) -> Any:
    return open_forms()


def choose(page: Any, cell: str, action: str) -> None:
    page.get_by_role("button", name=f"{cell}: ").click()
    page.get_by_role("group", name="Action").get_by_role("button", name=action, exact=False).first.click()


def heard(page: Any) -> str:
    text: str = page.locator(".ao-trainer [role=status]").inner_text()
    return text


def test_a_cell_is_found_by_keyboard_alone(opened: Any, page: Any) -> None:
    page.get_by_role("button", name="timeout, read: not found yet").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent").startswith("retry ")
    page.keyboard.press("Enter")
    assert heard(page).startswith("✓ retry holds.")
    assert heard(page).endswith("Something else holds here too.")
    expect(page.get_by_role("button", name="timeout, read: retry")).to_be_visible()
    expect(page.get_by_text("1 of 18 cells found.")).to_be_visible()


def test_what_does_not_hold_gets_a_reason_or_a_question_and_not_the_answer(opened: Any, page: Any) -> None:
    choose(page, "timeout, write without a key", "retry_once")
    assert heard(page) == "✗ retry_once does not hold here. It might apply the write a second time."
    choose(page, "denied, read", "retry_once")
    assert heard(page).endswith("Who could say yes: the same request, or a person?")
    expect(page.get_by_text("0 of 18 cells found.")).to_be_visible()


def test_the_trainer_answers_while_the_kernel_is_gone(opened: Any, page: Any) -> None:
    opened.command("kernelmenu:shutdown")
    choose(page, "denied, read", "stop")
    assert heard(page).startswith("✓ stop holds.")


def test_the_form_writes_the_line_for_the_cell(opened: Any, page: Any) -> None:
    page.get_by_role("radio").first.focus()
    for _ in QUESTIONS:
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
    page.get_by_text("All are answered.").wait_for()
    line = page.get_by_label("The line for your cell").input_value()
    name, _, value = line.partition(" = ")
    assert name == "answers"
    assert ast.literal_eval(value) == dict.fromkeys(QUESTIONS, "b")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex = 1")
    opened.command("notebook:run-cell")
    page.get_by_text("{'late_refund': 'b', 'same_key': 'b', 'posts': 'b'").wait_for()


def test_one_key_shortcuts_leave_the_notebook_alone(opened: Any, page: Any) -> None:
    page.get_by_role("button", name="timeout, read: not found yet").click()
    before = opened.cell_ids()
    controls = page.locator(":is(.ao-trainer, .ao-quiz) :is(input, button, textarea)")
    expect(controls).to_have_count(18 + 8 + 5 * 4 + 2)
    for number in range(controls.count()):
        controls.nth(number).focus()
        for key in "bxm":
            page.keyboard.press(key)
    assert opened.cell_ids() == before
    expect(page.locator(".ao-quiz"), "m must not turn the cell into text").to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    open_forms: Callable[..., Any],
    page: Any,
    serious_faults: Callable[..., list[str]],
    screenshot: Callable[..., None],
    theme: str,
) -> None:
    open_forms(theme)
    choose(page, "denied, read", "stop")
    choose(page, "timeout, write with a key", "retry_same_key")
    choose(page, "internal_error, write without a key", "stop")
    page.get_by_role("radio").nth(2).check()
    screenshot(page.locator(".ao-trainer"), f"trainer-{theme}")
    screenshot(page.locator(".ao-quiz"), f"quiz-{theme}")
    assert serious_faults(page) == []
