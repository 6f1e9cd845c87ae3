"""The hostile class, 3: what becomes of cells and files on the way, by accident or not."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell

from tests.hostile.attacks import LAB1, LAB4


@dataclass(frozen=True)
class Damage:
    """``do`` changes a solved notebook of lab 4 in place."""

    name: str
    do: Callable[[Any], None]
    status: tuple[str, ...] = ("graded",)
    points: int = 20


def place(notebook: Any, grade_id: str) -> int:
    return next(
        number
        for number, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    )


def duplicate(notebook: Any) -> None:
    for grade_id in ("decide", "check-decide"):
        at = place(notebook, grade_id)
        notebook.cells.insert(at, copy.deepcopy(notebook.cells[at]))


def split(notebook: Any) -> None:
    at = place(notebook, "decide")
    first, second = copy.deepcopy(notebook.cells[at]), copy.deepcopy(notebook.cells[at])
    first.source, second.source = "# my own notes, in a cell of their own", notebook.cells[at].source
    notebook.cells[at : at + 1] = [first, second]


def delete_checks(notebook: Any) -> None:
    notebook.cells = [cell for cell in notebook.cells if not cell.metadata.get("nbgrader", {}).get("grade")]


def delete_setup(notebook: Any) -> None:
    del notebook.cells[place(notebook, "setup")]


def rename(notebook: Any) -> None:
    for grade_id in ("decide", "check-decide"):
        notebook.cells[place(notebook, grade_id)].metadata["nbgrader"]["grade_id"] = f"my-{grade_id}"


def lose_metadata(notebook: Any) -> None:
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({"nbgrader": ["gone"]})


def lose_ids(notebook: Any) -> None:
    for number, cell in enumerate(notebook.cells):
        cell.id = f"x{number}"


def retype(notebook: Any) -> None:
    at = place(notebook, "decide")
    cell = notebook.cells[at]
    notebook.cells[at] = new_markdown_cell(cell.source, id=cell.id, metadata=cell.metadata)


def turn_round(notebook: Any) -> None:
    notebook.cells.reverse()


def raise_points(notebook: Any) -> None:
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata["nbgrader"].update(points=1000, locked=False, solution=True)


def edit_checks(notebook: Any) -> None:
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.source = 'print("all right")'


def script(notebook: Any) -> None:
    notebook.cells.insert(1, new_markdown_cell('<script>alert(1)</script><img src=x onerror="alert(2)">', id="hello"))


def graded_twice(notebook: Any) -> None:
    notebook.cells.append(
        new_code_cell(
            "x = 1",
            metadata={"nbgrader": {"grade": True, "grade_id": "own", "points": 50, "locked": True, "solution": False}},
        )
    )


def no_text(notebook: Any) -> None:
    notebook.cells.insert(1, new_code_cell("'\ud800'", id="half"))


DAMAGES = [
    Damage("cells that stand twice", duplicate),
    Damage("a split cell", split),
    Damage("deleted grading cells", delete_checks),
    Damage("a deleted given cell", delete_setup),
    Damage("renamed cells", rename),
    Damage("lost metadata", lose_metadata),
    Damage("lost ids", lose_ids),
    Damage("a retyped cell", retype),
    Damage("cells in another order", turn_round),
    Damage("raised points", raise_points),
    Damage("edited grading cells", edit_checks, status=("tampered",)),
    Damage("a script in Markdown", script),
    Damage("a grading cell of its own", graded_twice),
    Damage("half a character", no_text),
]


@dataclass(frozen=True)
class File:
    """``put`` hands in what it likes in the student's folder for lab 4; ``solved`` is the solved notebook's text."""

    name: str
    put: Callable[[Path, str], None]
    status: str = "not_submitted"
    points: int | None = None


NAME = f"{LAB4}.ipynb"


def text(content: bytes) -> Callable[[Path, str], None]:
    return lambda folder, solved: put_bytes(folder / NAME, content)


def put_bytes(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def huge(folder: Path, solved: str) -> None:
    put_bytes(folder / NAME, b"")
    os.truncate(folder / NAME, 1 << 40)


def link(folder: Path, solved: str) -> None:
    (folder / NAME).symlink_to(folder.parents[3] / "solutions" / LAB4 / NAME)


def linked_folder(folder: Path, solved: str) -> None:
    folder.rmdir()
    folder.symlink_to(folder.parents[2] / "solutions" / LAB4)


def extra_files(folder: Path, solved: str) -> None:
    put_bytes(folder / NAME, solved.encode())
    claim = json.dumps({"points": 1000, "status": "graded", "key": "x"}).encode()
    for name in ("verdict.json", "data/cases.json", "json.py", "grader/judge.py", "hidden_cases.json", "other.ipynb"):
        put_bytes(folder / name, claim)
    put_bytes(folder / "timestamp.txt", b"yesterday, I promise")
    os.mkfifo(folder / "pipe")
    (folder / "up").symlink_to("../../../..")


FILES = [
    File("not a notebook", text(b"print('hello')")),
    File("an empty file", text(b"")),
    File("JSON, but no notebook", text(b'{"cells": 1, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}')),
    File("brackets without end", text(b"[" * 200_000)),
    File("bytes that are no text", text(bytes(range(256)) * 40)),
    File("cells that are none", text(b'{"cells": [{}, 1], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}')),
    File("a file of a terabyte", huge),
    File("a folder for a notebook", lambda folder, solved: (folder / NAME).mkdir()),
    File("a pipe for a notebook", lambda folder, solved: os.mkfifo(folder / NAME)),
    File("a link to the solution", link),
    File("a linked folder", linked_folder),
    File("nothing at all", lambda folder, solved: folder.rmdir()),
    File("another name", lambda folder, solved: put_bytes(folder / "Untitled1.ipynb", solved.encode())),
    File("another lab's notebook", lambda folder, solved: put_bytes(folder / NAME, another_lab())),
    File("extra files", extra_files, "graded", 20),
]


def another_lab() -> bytes:
    from tests.solved import ROOT

    return (ROOT / "solutions" / LAB1 / f"{LAB1}.ipynb").read_bytes()
