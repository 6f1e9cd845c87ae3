"""The solved notebooks: kept in step with lab.toml, stored in one tidy form, run again on demand."""

from __future__ import annotations

import copy
import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from grader.plan import RunCell, make_plan, read_check_call
from stub_server.errors import Mendable
from workshop.lab import Block, Lab

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_WIDGET_TYPES = ("application/vnd.jupyter.widget-view+json",)
_TABLE_HEAD = "| Block | Minutes | Afterwards you can |"
_OUTCOME = "You will be able to "


class SolvedNotebookInvalid(Mendable):
    """A solved notebook does not fit its lab.toml; the message names the cell and what to mend."""


def solved_path(root: Path, lab_id: str) -> Path:
    return root / "solutions" / lab_id / f"{lab_id}.ipynb"


def read_solved(root: Path, lab_id: str) -> NotebookNode:
    notebook: NotebookNode = nbformat.read(solved_path(root, lab_id), as_version=4)
    return notebook


def in_step(notebook: NotebookNode, lab: Lab) -> NotebookNode:
    """A copy with its headings and points taken from lab.toml, and nothing in it that changes from run to run.

    A cell tagged ``lab`` starts with the lab's title and holds the table of its blocks; one tagged ``block:ID``
    starts with the block's title and minutes, and with what you will be able to do.
    Raises SolvedNotebookInvalid where the notebook and lab.toml name different blocks or checks.
    """
    tidy = copy.deepcopy(notebook)
    tidy.metadata = nbformat.from_dict(_METADATA)
    blocks = {f"block:{block.id}": block for block in lab.blocks}
    seen: list[str] = []
    for cell in tidy.cells:
        for tag in cell.metadata.get("tags", ()):
            if tag == "lab":
                cell.source = _title_cell(cell.source, lab)
                seen.append(tag)
            elif tag in blocks:
                cell.source = _block_cell(cell.source, blocks[tag])
                seen.append(tag)
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("grade"):
            check = lab.check(read_check_call(cell.source)[0])
            nbgrader["points"] = check.points
            seen.append(check.id)
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [_without_run(output) for output in cell.outputs]
            cell.metadata.pop("execution", None)
    wanted = ["lab", *blocks, *(check.id for check in lab.checks)]
    if sorted(seen) != sorted(wanted):
        difference = sorted(set(seen) ^ set(wanted)) or sorted(name for name in seen if seen.count(name) > 1)
        raise SolvedNotebookInvalid(f"{lab.id}: tags and checks of the notebook and lab.toml differ: {difference}")
    return tidy


def _title_cell(source: str, lab: Lab) -> str:
    """The title cell with its first line and its table of blocks from lab.toml; the rest is the author's."""
    before, head, after = source.partition(_TABLE_HEAD)
    if not head:
        raise SolvedNotebookInvalid(f"{lab.id}: the title cell has no table of blocks; add the line {_TABLE_HEAD}")
    words = before.partition("\n")[2]
    _, gap, rest = after.partition("\n\n")
    rows = [f"| {block.title} | {block.minutes} | {block.outcome} |" for block in lab.blocks]
    table = "\n".join([_TABLE_HEAD, "| --- | --- | --- |", *rows])
    return f"# Lab {lab.number}: {lab.title}\n{words}{table}{gap}{rest}"


def _block_cell(source: str, block: Block) -> str:
    """A block's heading cell with its title, minutes and outcome from lab.toml; the rest is the author's."""
    own = source.partition("\n")[2].lstrip("\n")
    if own.startswith(_OUTCOME):
        own = own.partition("\n\n")[2]
    head = f"## {block.title} · {block.minutes} minutes\n\n{_OUTCOME}{block.outcome}."
    return f"{head}\n\n{own}" if own else head


def _without_run(output: Any) -> Any:
    """An output without its execution count and without a widget that no page could show again."""
    if "execution_count" in output:
        output["execution_count"] = None
    for kind in _WIDGET_TYPES:
        output.get("data", {}).pop(kind, None)
    return output


def namespace_of(notebook: NotebookNode) -> dict[str, Any]:
    """What a notebook of ours defines, its cells run here, in this process; what they print is not shown.

    What is run is what the grader runs (grader/plan.py): no cell that checks, and none that only shows unless a cell
    that is run uses a name that only it gives.
    """
    namespace: dict[str, Any] = {"__name__": "solved"}
    with redirect_stdout(io.StringIO()):
        for step in make_plan(notebook):
            if isinstance(step, RunCell):
                exec(compile(step.source, f"<cell {step.name}>", "exec", dont_inherit=True), namespace)
    return namespace


def run_again(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """A copy with the outputs of a fresh run in ``folder``; raises nbclient's CellExecutionError."""
    from nbclient import NotebookClient

    fresh = copy.deepcopy(notebook)
    client = NotebookClient(
        fresh,
        timeout=60,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return fresh


def dump(notebook: NotebookNode) -> str:
    """The notebook as it stands in a file: one space of indentation, a line feed at the end."""
    return str(nbformat.writes(notebook, version=4)).rstrip("\n") + "\n"
