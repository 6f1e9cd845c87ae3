"""The plan: show cells are left out, grading cells are read and never run."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.plan import AskCheck, NotACheck, RunCell, make_plan, read_check_call


def test_a_check_call_is_read_as_an_id_and_names() -> None:
    assert read_check_call('check("lab1.counting", Budget)') == ("lab1.counting", ("Budget",))
    assert read_check_call('check("lab1.pair", a, b)  # both') == ("lab1.pair", ("a", "b"))


@pytest.mark.parametrize(
    "source",
    [
        "check(name, Budget)",
        'check("lab1.counting", Budget())',
        'check("lab1.counting", Budget, points=20)',
        'check("lab1.counting", Budget); print(1)',
        'other("lab1.counting", Budget)',
        "check()",
        "x = 1",
        "",
        "check(",
    ],
)
def test_anything_but_one_plain_check_call_is_refused(source: str) -> None:
    with pytest.raises(NotACheck):
        read_check_call(source)


def test_show_cells_and_text_are_not_run() -> None:
    grade = {"nbgrader": {"grade": True, "grade_id": "check_counting", "points": 5}}
    notebook = new_notebook(
        cells=[
            new_markdown_cell("text"),
            new_code_cell("a = 1", id="one"),
            new_code_cell("plot()", metadata={"tags": ["show"]}),
            new_code_cell('check("lab1.counting", Budget)', metadata=grade),
        ]
    )
    assert make_plan(notebook) == (
        RunCell(1, "one", "a = 1"),
        AskCheck(3, "check_counting", "lab1.counting", ("Budget",)),
    )
