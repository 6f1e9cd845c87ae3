"""The plan: show cells are left out, grading cells are read and never run."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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


def sources_run(*cells: tuple[str, bool]) -> list[str]:
    """The sources that the plan runs, of cells given as source and whether the cell only shows."""
    made = [new_code_cell(source, metadata={"tags": ["show"]} if shows else {}) for source, shows in cells]
    return [step.source for step in make_plan(new_notebook(cells=made)) if isinstance(step, RunCell)]


@pytest.mark.parametrize(
    "uses",
    [
        "def decide(payload):\n    return validator.is_valid(payload)",
        "decide = lambda payload: validator.is_valid(payload)",
        "class Checks:\n    check = validator.is_valid",
        "def outer():\n    def inner():\n        return [validator for _ in 'ab']\n    return inner",
    ],
)
def test_a_show_cell_is_run_where_a_cell_uses_a_name_that_only_it_gives(uses: str) -> None:
    shows = "import jsonschema\nvalidator = jsonschema.Draft202012Validator({})"
    assert sources_run((shows, True), (uses, False)) == [shows, uses]


@pytest.mark.parametrize(
    "uses",
    [
        "def decide(payload):\n    validator = 1\n    return validator",
        "def decide(validator):\n    return validator",
        "validator = 1\ndef decide(payload):\n    return validator",
        "def decide(payload):\n    return payload.validator",
        "%time validator",
    ],
)
def test_a_name_of_the_cells_own_runs_no_show_cell(uses: str) -> None:
    assert sources_run(("validator = slow()", True), (uses, False)) == [uses]


def test_a_show_cell_that_is_run_brings_what_it_needs_itself() -> None:
    cells = [("import slow", True), ("validator = slow.load()", True), ("plot = 1", True), ("use = validator", False)]
    assert sources_run(*cells) == ["import slow", "validator = slow.load()", "use = validator"]


@settings(deadline=None)
@given(st.text())
def test_any_source_gives_a_plan(source: str) -> None:
    assert sources_run((source, False), ("x = 1", True))[0] == source


def test_a_cell_longer_than_any_honest_one_is_run_and_not_looked_at() -> None:
    """To find its names takes time that grows with the square of its length, in the grader's own process."""
    uses = "use = validator\n" + "def f(): 0\n" * 1000
    assert sources_run(("validator = 1", True), (uses, False)) == [uses]


def test_of_many_long_cells_only_so_many_are_looked_at() -> None:
    long = [(f"# {number} ".ljust(8000, "#"), False) for number in range(13)]
    assert "validator = 1" in sources_run(("validator = 1", True), *long[:12], ("use = validator", False))
    assert "validator = 1" not in sources_run(
        *long, *long, ("validator = 1", True), ("use = validator".ljust(8000), False)
    )
