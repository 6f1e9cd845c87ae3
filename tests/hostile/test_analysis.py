"""What the grader itself does with a student's text, before and after it runs: no fault, no live link."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from nbconvert.filters import markdown2html
from nbformat.v4 import new_code_cell, new_markdown_cell

from grader.plan import make_plan
from grader.repair import repair
from tests.hostile.attacks import LAB1
from tests.submissions import released_notebook

LIVE = [
    "[look](javascript:alert(1))",
    "[look][1]\n\n[1]: javascript:alert(1)",
    "[look](data:text/html,<b>)",
    "![seen](https://example.invalid/pixel.png)",
    "- a list\n\n    [look](javascript:alert(1))",
    "text\x0c[look](javascript:alert(1))\u2028<script>alert(1)</script>",
    "\t```\n\t```\r[look](javascript:alert(1))",
]


def test_nesting_without_end_is_no_fault_of_ours() -> None:
    notebook = released_notebook(LAB1)
    notebook.cells.append(new_code_cell("lambda: " * 1500 + "1"))
    assert make_plan(notebook)


@pytest.mark.parametrize("text", LIVE)
def test_a_students_markdown_is_shown_and_not_obeyed(text: str) -> None:
    """The formgrader shows it in the instructor's origin, where a script may do all that the instructor may."""
    submitted = released_notebook(LAB1)
    submitted.cells.append(new_markdown_cell(text))
    (shown,) = [cell for cell in repair(submitted, released_notebook(LAB1)).notebook.cells if cell.id[:4] == "own-"]
    page = BeautifulSoup(markdown2html(shown.source), "html.parser")
    assert shown.cell_type == "markdown"
    assert not page.find_all(["a", "img", "script", "li"])
