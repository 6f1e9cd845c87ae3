"""The solved notebooks have one form: the same headings in the same order, the same kinds of cells, the same words."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from nbclient import NotebookClient

from grader.plan import read_check_call
from grader.solved import SolvedNotebookInvalid, in_step
from tests.solved import ROOT, solved_notebook
from tests.submissions import released_notebook
from workshop.lab import Lab, all_labs

LABS = all_labs(ROOT)
HOUSE_RULES = """\
**House rules.** No model, no network, no GPU is needed. Put no secrets into tool arguments or prompts, and
redact tokens before a log is written. The permit and the labs are no wall around code that you do not trust.
Nothing here measures how good a model is: what counts is what was decided and counted."""
BOARD = "from IPython.display import display\nfrom workshop.clock import board\n\ndisplay(board(lab))"
FORMS = {
    "Predict": r"Predict(: [a-z].*)?",
    "Fill in": r"Fill in: .+",
    "Stretch": r"Stretch, if you are early(: [a-z].*)?",
}
LINES = {"show": 25, "given": 15, "solution": 30, "markdown": 40}


@pytest.fixture(params=LABS, ids=lambda lab: lab.id)
def lab(request: pytest.FixtureRequest) -> Lab:
    found: Lab = request.param
    return found


@pytest.fixture
def cells(lab: Lab) -> list[Any]:
    return list(solved_notebook(lab.id).cells)


def kind(cell: Any) -> str:
    """What a cell is for; the id of a code cell says the same."""
    nbgrader = cell.metadata.get("nbgrader", {})
    if cell.cell_type == "markdown":
        return "markdown"
    if "show" in cell.metadata.get("tags", ()):
        return "show"
    if nbgrader:
        return "check" if nbgrader["grade"] else "solution" if nbgrader["solution"] else "given"
    return "packet" if cell.id == "packet-line" else "predict"


def headings(cell: Any, level: int) -> list[str]:
    if cell.cell_type != "markdown":
        return []
    outside_code = re.sub(r"(?ms)^```.*?^```", "", cell.source)
    return re.findall(rf"(?m)^{'#' * level} (.+)$", outside_code)


def parts(lab: Lab, cells: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The cells of each block, by the block's id."""
    starts = [place for place, cell in enumerate(cells) if headings(cell, 2)]
    for block, start, end in zip(lab.blocks, starts, starts[1:], strict=False):
        yield block.id, cells[start:end]


def test_a_lab_starts_with_its_title_its_words_and_its_board(lab: Lab, cells: list[Any]) -> None:
    title, words, setup, board = cells[:4]
    assert [cell.id for cell in cells[:4]] == ["title", "words", "setup", "board"]
    paragraphs = title.source.split("\n\n")
    assert [paragraph.split(",")[0] for paragraph in paragraphs[2:4]] == ["**For you**", "**Not for you**"]
    assert paragraphs[-2].startswith("| Block | Minutes |")
    assert paragraphs[-1] == HOUSE_RULES
    assert words.source.startswith("### Words\n")
    assert (kind(setup), board.source) == ("given", BOARD)


def test_the_parts_come_in_the_same_order(lab: Lab, cells: list[Any]) -> None:
    blocks = [f"{block.title} · {block.minutes} minutes" for block in lab.blocks]
    has_debrief_block = "debrief" in {block.id for block in lab.blocks}
    tail = ["Limits", "Packet"] if has_debrief_block else ["Limits", "Debrief", "Packet"]

    assert [heading for cell in cells for heading in headings(cell, 2)] == [*blocks, *tail]
    assert [cell.id for cell in cells if headings(cell, 2)] == [
        *(block.id for block in lab.blocks),
        *map(str.lower, tail),
    ]
    assert [cell.id for cell in cells[-3:]] == ["packet", "packet-line", "show-packet"]


def test_a_block_asks_for_a_guess_then_for_work_and_ends_in_a_stretch(lab: Lab, cells: list[Any]) -> None:
    for block, part in parts(lab, cells):
        named = [(form, place) for place, cell in enumerate(part) for form in asked(cell)]
        forms = [form for form, _ in named]
        assert forms[0] == "Predict", block
        assert forms[-1] == "Stretch", block
        first_stretch = next(place for form, place in named if form == "Stretch")
        kinds = [kind(cell) for cell in part]
        assert "predict" in kinds, block
        assert not {"solution", "check", "predict"} & set(kinds[first_stretch + 1 :]), block
        for place, what in enumerate(kinds):
            if what == "solution":
                assert any(form == "Fill in" and at < place for form, at in named), (block, part[place].id)
        assert [check.id for check in lab.checks if check.block == block] == [
            read_check_call(cell.source)[0] for cell in part if kind(cell) == "check"
        ]


def asked(cell: Any) -> list[str]:
    """The forms of heading that a cell holds, in their order."""
    return [form for heading in headings(cell, 3) for form in FORMS if heading.startswith(form)]


def test_what_is_asked_for_is_headed_in_the_same_words(cells: list[Any]) -> None:
    for cell in cells:
        for heading in headings(cell, 3):
            for start, form in FORMS.items():
                if heading.startswith(start):
                    assert re.fullmatch(form, heading), cell.id
        if cell.cell_type == "markdown":
            assert not re.search(r"\*\*(Stretch|Predict)", cell.source), cell.id


def test_the_id_of_a_cell_says_what_it_is_for(cells: list[Any]) -> None:
    for cell in cells:
        nbgrader = cell.metadata.get("nbgrader")
        if nbgrader:
            assert nbgrader["grade_id"] == cell.id
        match kind(cell):
            case "show":
                assert cell.id == "board" or cell.id.startswith("show-")
                assert not nbgrader, f"{cell.id}: a cell that only shows is not graded"
            case "check":
                assert cell.id.startswith("check-")
            case "predict":
                assert cell.id.startswith("predict-")
            case "markdown":
                assert not cell.id.startswith(("show-", "predict-", "check-")), cell.id


def test_a_guess_starts_empty_and_is_shown_beside_the_result(cells: list[Any]) -> None:
    for place, cell in enumerate(cells):
        if kind(cell) != "predict":
            continue
        [statement] = ast.parse(cell.source).body
        assert isinstance(statement, ast.Assign), cell.id
        name = ast.unparse(statement.targets[0])
        value = ast.literal_eval(statement.value)
        assert name.startswith("guess_"), cell.id
        assert set(value.values() if isinstance(value, dict) else [value]) == {""}, cell.id
        shown = [later.source for later in cells[place:] if kind(later) == "show" and name in later.source]
        assert shown, f"{name} is shown nowhere"
        assert all(re.search(rf"\{{{name}(\[.+?\])? or 'none'\}}", source) for source in shown), name


def test_cells_are_short(cells: list[Any]) -> None:
    for cell in cells:
        source = cell.source
        if kind(cell) == "solution":
            source = source.partition("### BEGIN SOLUTION")[2]
        assert source.count("\n") <= LINES.get(kind(cell), 1), cell.id


def test_a_library_that_need_not_be_there_is_named_in_code_only(cells: list[Any]) -> None:
    for cell in cells:
        for package in optional_imports(cell):
            told = [other.source for other in cells if other.cell_type == "markdown"]
            told += [str(output) for other in cells for output in other.get("outputs", ())]
            told += re.findall(r'"[^"]*"', cell.source)
            assert not [text for text in told if package in text.lower()], cell.id
            assert [output.text.count("\n") for output in cell.outputs] == [1], f"{cell.id}: one sentence, there or not"


def optional_imports(cell: Any) -> list[str]:
    if cell.cell_type != "code":
        return []
    attempts = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Try)]
    imports = [step for attempt in attempts for step in attempt.body if isinstance(step, ast.ImportFrom)]
    return [str(step.module).partition(".")[0] for step in imports]


def test_untouched_run_all_reaches_the_first_check_without_an_error(lab: Lab) -> None:
    notebook = released_notebook(lab.id)
    resources = {"metadata": {"path": str(ROOT / "solutions" / lab.id)}}
    NotebookClient(notebook, timeout=60, allow_errors=True, resources=resources).execute()

    failed = [cell.id for cell in notebook.cells for out in cell.get("outputs", ()) if out.output_type == "error"]
    assert failed[0] == next(cell.id for cell in notebook.cells if kind(cell) == "check")


def test_what_lab_toml_says_of_the_blocks_is_written_into_the_notebook(lab: Lab) -> None:
    solved = in_step(solved_notebook(lab.id), lab)
    stale = copy.deepcopy(solved)
    for cell in stale.cells:
        if cell.id == "title":
            cell.source = re.sub(r"(?m)^\| (.+?) \| \d+ \| .+$", r"| \1 | 99 | fly |", cell.source)
        if cell.id in {block.id for block in lab.blocks}:
            cell.source = re.sub(r"You will be able to .+", "You will be able to fly.", cell.source)

    assert "fly" in str(stale)
    assert in_step(stale, lab) == solved


def test_a_block_without_its_outcome_gets_it_and_keeps_its_words() -> None:
    lab = LABS[0]
    notebook = copy.deepcopy(solved_notebook(lab.id))
    block = next(cell for cell in notebook.cells if cell.id == lab.blocks[0].id)
    block.source = "## Old title\n\nWords of its own.\n\nAnd more."
    written = next(cell for cell in in_step(notebook, lab).cells if cell.id == block.id).source

    outcome = f"You will be able to {lab.blocks[0].outcome}."
    assert written.split("\n\n")[1:] == [outcome, "Words of its own.", "And more."]


def test_a_title_without_a_table_of_blocks_is_refused() -> None:
    lab = LABS[0]
    notebook = copy.deepcopy(solved_notebook(lab.id))
    notebook.cells[0].source = "# Title\n\nNo table."

    with pytest.raises(SolvedNotebookInvalid, match=r"no table of blocks; add the line \| Block"):
        in_step(notebook, lab)
