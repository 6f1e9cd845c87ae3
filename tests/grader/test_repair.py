"""Repair: whatever became of the cells, the released frame comes back with the student's text in it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.repair import repair


def nbgrader(grade_id: str, **kind: Any) -> dict[str, Any]:
    return {"nbgrader": {"grade_id": grade_id, "grade": False, "solution": False, "locked": False, **kind}}


def released() -> Any:
    return new_notebook(
        cells=[
            new_markdown_cell("# Lab", id="title"),
            new_code_cell("from workshop import budget", id="given", metadata=nbgrader("given", locked=True)),
            new_code_cell('guess = ""', id="predict"),
            new_code_cell("raise NotImplementedError", id="write", metadata=nbgrader("write", solution=True)),
            new_code_cell(
                'check("lab1.counting", Budget)',
                id="check",
                metadata=nbgrader("check", grade=True, locked=True, points=5),
            ),
        ]
    )


def submitted() -> Any:
    notebook = released()
    notebook.cells[2].source = 'guess = "four"'
    notebook.cells[3].source = "class Budget: ..."
    return notebook


def sources(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells]


def test_what_the_student_wrote_is_kept_and_nothing_is_noted() -> None:
    repaired = repair(submitted(), released())
    assert sources(repaired.notebook) == sources(submitted())
    assert repaired.notes == ()
    assert repaired.changed_checks == ()


def duplicate(notebook: Any) -> None:
    notebook.cells.insert(4, copy.deepcopy(notebook.cells[3]))


def rename(notebook: Any) -> None:
    notebook.cells[3].metadata["nbgrader"]["grade_id"] = "mine"


def lose_metadata(notebook: Any) -> None:
    for cell in notebook.cells:
        cell.metadata = {"nbgrader": "gone"}


def lose_ids(notebook: Any) -> None:
    for number, cell in enumerate(notebook.cells):
        if "nbgrader" in cell.metadata:
            cell.id = f"x{number}"


def retype(notebook: Any) -> None:
    notebook.cells[3] = new_markdown_cell("class Budget: ...", id="write", metadata=notebook.cells[3].metadata)


def delete_locked(notebook: Any) -> None:
    del notebook.cells[4], notebook.cells[1]


@pytest.mark.parametrize("damage", [duplicate, rename, lose_metadata, lose_ids, retype, delete_locked])
def test_damage_to_cells_is_put_right(damage: Callable[[Any], None]) -> None:
    notebook = submitted()
    damage(notebook)
    repaired = repair(notebook, released())
    assert sources(repaired.notebook) == sources(submitted())
    assert [cell.metadata for cell in repaired.notebook.cells] == [cell.metadata for cell in released().cells]


def test_a_split_cell_is_joined_and_noted() -> None:
    notebook = submitted()
    first, second = copy.deepcopy(notebook.cells[3]), copy.deepcopy(notebook.cells[3])
    first.source, second.source = "a = 1", "b = 2"
    notebook.cells[3:4] = [first, second]
    repaired = repair(notebook, released())
    assert repaired.notebook.cells[3].source == "a = 1\nb = 2"
    assert repaired.notes == ("cell write stood in 2 pieces, which were joined",)


def test_a_deleted_cell_to_fill_in_comes_back_empty_and_noted() -> None:
    notebook = submitted()
    del notebook.cells[3]
    repaired = repair(notebook, released())
    assert repaired.notebook.cells[3].source == "raise NotImplementedError"
    assert repaired.notes == ("cell write was missing and was put back empty",)


def test_the_students_own_cells_stay_where_they_stood_without_their_metadata() -> None:
    notebook = submitted()
    own = new_code_cell("x = 1", metadata={"tags": ["show"], "nbgrader": {"grade": True, "grade_id": "stranger"}})
    notebook.cells.insert(4, own)
    repaired = repair(notebook, released())
    assert sources(repaired.notebook)[3:6] == ["class Budget: ...", "x = 1", 'check("lab1.counting", Budget)']
    assert repaired.notebook.cells[4].metadata == {}


def test_a_students_markdown_is_shown_as_text() -> None:
    notebook = submitted()
    notebook.cells.append(new_markdown_cell("<script>alert(1)</script>"))
    assert repair(notebook, released()).notebook.cells[-1].source == "    <script>alert(1)</script>"


@pytest.mark.parametrize(
    "source", ['print("5 of 5")', "", "check = lambda *_: None", 'check("lab1.counting", Other)', "check("]
)
def test_a_changed_grading_cell_is_told_and_the_released_one_is_used(source: str) -> None:
    notebook = submitted()
    notebook.cells[4].source = source
    repaired = repair(notebook, released())
    assert repaired.changed_checks == ("check",)
    assert repaired.notebook.cells[4].source == 'check("lab1.counting", Budget)'


def test_white_space_in_a_grading_cell_is_no_change() -> None:
    notebook = submitted()
    notebook.cells[4].source = 'check( "lab1.counting",Budget )   # done!\n'
    assert repair(notebook, released()).changed_checks == ()


def test_repair_changes_neither_of_its_arguments() -> None:
    notebook, frame = submitted(), released()
    before = copy.deepcopy((notebook, frame))
    repair(notebook, frame)
    assert (notebook, frame) == before


def test_a_grading_cell_grown_out_of_all_proportion_is_changed_without_being_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A parser takes a thousand times the memory of its text, in the grader's own process."""
    notebook = submitted()
    notebook.cells[4].source += "\nx = (" + "1," * 100_000 + ")"
    monkeypatch.setattr("ast.parse", None)
    assert repair(notebook, released()).changed_checks == ("check",)


def with_a_function() -> Any:
    notebook = released()
    notebook.cells[3].source = "def total(rows):\n    raise NotImplementedError"
    return notebook


def test_a_cell_that_lost_its_ids_is_known_by_what_it_defines() -> None:
    handed_in = with_a_function()
    handed_in.cells[3] = new_code_cell("def helper(): ...\ndef total(rows):\n    return sum(rows)", id="pasted")
    handed_in.cells.append(new_code_cell("total([1])", id="own"))
    repaired = repair(handed_in, with_a_function())
    assert sources(repaired.notebook)[3:] == [handed_in.cells[3].source, 'check("lab1.counting", Budget)', "total([1])"]
    assert repaired.notebook.cells[3].id == "write"
    assert repaired.notes == ("cell write had lost its id and was known again by what it defines",)


@pytest.mark.parametrize("pasted", [["def total(rows): ..."] * 2, ["def other(rows): ..."], ["def total(rows)"]])
def test_it_is_put_back_empty_where_none_or_several_could_be_it(pasted: list[str]) -> None:
    handed_in = with_a_function()
    handed_in.cells[3:4] = [new_code_cell(source, id=f"own-{place}") for place, source in enumerate(pasted)]
    repaired = repair(handed_in, with_a_function())
    assert "cell write was missing and was put back empty" in repaired.notes
    assert set(pasted) <= set(sources(repaired.notebook))
