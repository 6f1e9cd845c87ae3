"""Puts a submitted notebook right from the released one: the student's text, in the released cells (spec 4).

Duplicate, split, renamed, deleted and retyped cells abort nbgrader or lose marks there. Here the released notebook is
the frame; what the student wrote in its open cells is put into it, and cells of their own stay where they stood.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from nbformat import NotebookNode, from_dict

_LONGEST_CELL = 20_000
"""Characters; the longest cell of a solution has about 3,000."""


@dataclass(frozen=True)
class Repaired:
    """The notebook to run, what was mended, which grading cells had been changed.

    ``known`` counts the cells of the release, but for its text, that were found in the submission.
    """

    notebook: NotebookNode
    notes: tuple[str, ...]
    changed_checks: tuple[str, ...]
    known: int


def repair(submitted: NotebookNode, released: NotebookNode) -> Repaired:
    """The released notebook with the student's text in it.

    A released cell is known again by its nbgrader id, else by its cell id, else by its unchanged text. Text for one
    open cell that stands in several cells (split or duplicated) is joined. Cells of the student's own lose their
    metadata and outputs.
    """
    frame: dict[str, NotebookNode] = {_key(cell): cell for cell in released.cells}
    unchanged = {cell.source: key for key, cell in frame.items()}
    texts: dict[str, list[str]] = {}
    own: dict[str | None, list[NotebookNode]] = {}
    notes: list[str] = []
    last: str | None = None
    for cell in submitted.cells:
        key = _known_key(cell, frame) or unchanged.get(cell.source)
        if key is None:
            own.setdefault(last, []).append(_own_cell(cell, len(own), sum(map(len, own.values()))))
            continue
        last = key
        texts.setdefault(key, []).append(str(cell.source))
        if cell.cell_type != frame[key].cell_type:
            notes.append(f"cell {key} had become a {cell.cell_type} cell and was put back")
    notes += _know_by_names(frame, texts, own)
    mended = NotebookNode({**released, "metadata": from_dict(released.metadata)})
    mended.cells = list(own.get(None, []))
    for key, one in frame.items():
        cell = NotebookNode({**one, "metadata": from_dict(one.metadata)})
        found = list(dict.fromkeys(texts.get(key, [])))
        if _is_open(cell):
            if found:
                cell.source = "\n".join(found)
            elif "nbgrader" in cell.metadata:
                notes.append(f"cell {key} was missing and was put back empty")
            if len(found) > 1:
                notes.append(f"cell {key} stood in {len(found)} pieces, which were joined")
        elif cell.cell_type == "code" and not found:
            notes.append(f"cell {key} was missing and was put back")
        mended.cells += [cell, *own.get(key, [])]
    changed = tuple(
        key
        for key, cell in frame.items()
        if _is_check(cell) and any(not _is_same_code(text, cell.source) for text in texts.get(key, []))
    )
    known = sum("nbgrader" in frame[key].metadata for key in texts)
    return Repaired(mended, tuple(notes), changed, known)


def _know_by_names(
    frame: dict[str, NotebookNode], texts: dict[str, list[str]], own: dict[str | None, list[NotebookNode]]
) -> list[str]:
    """Put in its place the one cell of their own that defines what a missing cell is to define; notes on that.

    So a cell that was pasted into a new one, or saved by a tool that drops ids, is not lost.
    """
    notes = []
    for key, cell in frame.items():
        if key in texts or "nbgrader" not in cell.metadata or cell.cell_type != "code" or not _is_open(cell):
            continue
        wanted = _defined(cell.source)
        fitting = [
            (cells, one)
            for cells in own.values()
            for one in cells
            if one.cell_type == "code" and wanted and wanted <= _defined(one.source)
        ]
        if len(fitting) == 1:
            [(cells, one)] = fitting
            cells[:] = [other for other in cells if other is not one]
            texts[key] = [str(one.source)]
            notes.append(f"cell {key} had lost its id and was known again by what it defines")
    return notes


def _defined(source: str) -> frozenset[str]:
    """The functions and classes of a cell; none of a text that is longer than any of them."""
    if len(source) > _LONGEST_CELL:
        return frozenset()
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(one.name for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef))


def _key(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id") or cell.id)


def _known_key(cell: NotebookNode, frame: dict[str, NotebookNode]) -> str | None:
    nbgrader = cell.metadata.get("nbgrader")
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    for name in (grade_id, cell.get("id")):
        if isinstance(name, str) and name in frame:
            return name
    return None


def _is_open(cell: NotebookNode) -> bool:
    """The student may write here: a cell to fill in, or a code cell that nbgrader does not lock (a prediction)."""
    nbgrader = cell.metadata.get("nbgrader")
    return bool(nbgrader["solution"]) if nbgrader else bool(cell.cell_type == "code")


def _is_check(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade"))


def _is_same_code(left: str, right: str) -> bool:
    """The same statements: white space and comments may differ."""
    if len(left) > 4 * len(right):  # no comment is that long, and a parser takes a thousand times the text's memory
        return False
    try:
        return left == right or ast.dump(ast.parse(left)) == ast.dump(ast.parse(right))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _own_cell(cell: NotebookNode, place: int, count: int) -> NotebookNode:
    """A cell of the student's own: code as it is, anything else as text that a page shows and does not obey."""
    mine = copy.deepcopy(cell)
    mine.id = f"own-{place}-{count}"
    mine.metadata = NotebookNode()
    if mine.cell_type == "code":
        mine.outputs, mine.execution_count = [], None
    else:
        # As a block of code: the formgrader and the feedback page render Markdown, links with a script in them too.
        mine.cell_type = "markdown"
        mine.source = "\n".join(f"    {line}" for line in str(mine.source).splitlines())
        mine.pop("attachments", None)
    return mine
