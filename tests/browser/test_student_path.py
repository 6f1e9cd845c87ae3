"""A student's hour, in short: open lab 1, start the clock, run all, meet a red bar, fill in, turn it green."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from grader.made_up import solution_cells
from tests.solved import ROOT, solved_notebook
from workshop.lab import all_labs

LAB = "lab1_fanout_replay"

SET_SOURCE = """([id, source]) => {
    const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells];
    cells.find(cell => cell.id === id).sharedModel.setSource(source);
}"""
ERRORS = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
    .filter(cell => cell.type === 'code')
    .map(cell => [cell.id, [...Array(cell.outputs.length).keys()].map(i => cell.outputs.get(i).toJSON())])
    .filter(([id, outputs]) => outputs.some(output => output.output_type === 'error'))
    .map(([id, outputs]) => [id, outputs.find(output => output.output_type === 'error').ename])"""


@pytest.fixture
def released(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "notebooks" / LAB, tmp_path / LAB))


def test_from_the_red_bar_to_the_green_one(
    released: Path, lab_server: Any, page: Any, screenshot: Callable[[Any, str], None]
) -> None:
    notebook = lab_server(released).open(page, f"{LAB}.ipynb")
    notebook.run_all()
    # The first error only: on a slow machine the last cells arrive after the kernel has dropped its queue.
    assert page.evaluate(ERRORS)[0] == ["check-test", "CheckFailed"]
    red = page.locator(".jp-Cell", has_text='check("lab1.test"').locator(".ao-score.ao-no")
    red.scroll_into_view_if_needed()
    screenshot(page, "lab1-red")

    board = page.get_by_role("group", name="Timing board")
    board.get_by_role("button", name="Start", exact=True).click()
    expect(board.get_by_role("button", name="Pause")).to_be_visible()

    for cell_id, source in solution_cells(solved_notebook(LAB)).items():
        page.evaluate(SET_SOURCE, [cell_id, source])
    notebook.run_all()
    assert page.evaluate(ERRORS) == []
    for check in ("test", "counting", "replay", "diff"):
        cell = page.locator(".jp-Cell", has_text=f'check("lab1.{check}"')
        cell.scroll_into_view_if_needed()
        expect(cell.locator(".ao-score.ao-yes")).to_be_visible()
    screenshot(page, "lab1-green")


@pytest.mark.parametrize("lab_id", [lab.id for lab in all_labs(ROOT)])
def test_a_solved_lab_runs_from_top_to_bottom(
    lab_id: str, tmp_path: Path, lab_server: Any, page: Any, serious_faults: Callable[..., list[str]]
) -> None:
    """Every cell, pictures and widgets included, in the real thing; axe finds nothing serious in what we drew."""
    folder = Path(shutil.copytree(ROOT / "notebooks" / lab_id, tmp_path / lab_id))
    shutil.copytree(ROOT / "solutions" / lab_id, folder, dirs_exist_ok=True)
    notebook = lab_server(folder).open(page, f"{lab_id}.ipynb")
    notebook.run_all()
    assert page.evaluate(ERRORS) == []
    assert serious_faults(page) == []
