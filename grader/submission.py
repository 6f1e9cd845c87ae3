"""A submission's way to its result: read, mended on the released notebook, graded."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from grader.bounds import MIB
from grader.course import Course
from grader.exam import Exam, files_of_lab
from grader.feedback import report_checks
from grader.grading import grade_notebook
from grader.inbox import LARGEST_NOTEBOOK
from grader.launch import Launch, launch_process
from grader.notebook import NotANotebook, read_notebook
from grader.repair import repair
from grader.results import Result
from stub_server.fixtures import FOLDER
from workshop.lab import Lab

UNGUARDED = "graded without a sandbox"
"""A note to the instructor, which the class report counts (spec 4, sandbox)."""
_CELL_TYPES = ("code", "markdown", "raw")
_CHECK_CALL = re.compile(r"""^check\(["'](\w+)\.""", re.MULTILINE)


def read_submission(path: Path) -> bytes:
    """The bytes handed in as submitted/STUDENT/LAB/LAB.ipynb; raises NotANotebook. No link is followed."""
    folder = path.parent
    if any(one.is_symlink() for one in (folder.parent, folder, path)):
        raise NotANotebook("a link was handed in, and links are not followed")
    if not path.exists():
        others = sorted(other.name for other in folder.glob("*.ipynb"))
        raise NotANotebook(f"there is no {path.name}, but {others[0]}: rename it" if others else "nothing handed in")
    if not path.is_file():
        raise NotANotebook(f"{path.name} is not a file")
    if path.stat().st_size > LARGEST_NOTEBOOK:
        raise NotANotebook(f"{path.name} is larger than {LARGEST_NOTEBOOK // MIB} MiB")
    return path.read_bytes()


def labs_asked(notebook: NotebookNode) -> set[str]:
    """The labs, as ``lab1``, whose checks the notebook's cells call."""
    sources = [cell.get("source") for cell in notebook.get("cells", []) if isinstance(cell, dict)]
    return {lab for source in sources if isinstance(source, str) for lab in _CHECK_CALL.findall(source)}


def _plain(notebook: NotebookNode) -> NotebookNode:
    try:
        cells = [_plain_cell(cell, place) for place, cell in enumerate(notebook.cells)]
    except Exception as problem:
        raise NotANotebook(f"not a notebook: {problem}") from problem
    return NotebookNode(cells=cells)


def _plain_cell(cell: NotebookNode, place: int) -> NotebookNode:
    """A cell of the form that the rest relies on: nbformat only warns of one that is not. Its outputs are dropped."""
    if cell.cell_type not in _CELL_TYPES or not isinstance(cell.source, str) or not isinstance(cell.metadata, dict):
        raise ValueError(f"cell {place} is malformed")
    cell_id = cell.get("id")
    plain = NotebookNode(
        id=cell_id if isinstance(cell_id, str) else f"cell-{place}",
        cell_type=cell.cell_type,
        metadata=cell.metadata,
        source=cell.source.encode("utf-8", "replace").decode("utf-8"),
    )
    if cell.cell_type == "code":
        plain.update(execution_count=None, outputs=[])
    return plain


def mend(submitted: NotebookNode, exam: Exam) -> tuple[NotebookNode, tuple[str, ...], bool]:
    """The submission in the frame of the released notebook, notes on what was mended, and whether a check changed."""
    plain = _plain(submitted)
    repaired = repair(plain, exam.released)
    asked = labs_asked(plain)
    if not repaired.known or (asked and exam.lab.prefix not in asked):
        raise NotANotebook(f"this is another notebook, not that of {exam.lab.id}")
    changed = tuple(f"grading cell {key} was changed; the released one was used" for key in repaired.changed_checks)
    return repaired.notebook, (*changed, *repaired.notes), bool(changed)


def grade_once(data: bytes, exam: Exam, launch: Launch) -> Result:
    """Grade one submitted notebook. A pure function of its bytes and the exam; raises NotANotebook."""
    notebook, notes, is_tampered = mend(read_notebook(data), exam)
    graded = grade_notebook(notebook, exam, launch)
    if is_tampered and graded.status != "could_not_grade":
        graded = replace(graded, status="tampered")
    return Result(
        status=graded.status,
        notes=(*notes, *graded.notes) if is_tampered else (*graded.notes, *notes),
        reports=report_checks(graded, exam.lab, exam.patterns),
        outputs={notebook.cells[index].id: output for index, output in graded.outputs.items()},
    )


def lab_version(course: Course, lab: Lab) -> str:
    """A digest of the lab's files, the kit's code and its server's data: with any changed, work is graded anew."""
    digest = hashlib.sha256()
    for name, path in {**_code(), **files_of_lab(course, lab)}.items():
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _code() -> dict[str, Path]:
    here = Path(__file__).resolve().parent.parent
    found = [path for name in ("grader", "stub_server", "workshop") for path in (here / name).rglob("*.py")]
    code = {path.relative_to(here).as_posix(): path for path in sorted(found)}
    return code | {path.relative_to(FOLDER).as_posix(): path for path in sorted(FOLDER.rglob("*.json"))}


def grade_with_retry(data: bytes, exam: Exam, launch: Launch) -> Result:
    """grade_once, a second time where the first came to nothing: a sandbox may be killed from outside."""
    result = grade_once(data, exam, launch)
    if result.status == "could_not_grade":
        result = grade_once(data, exam, launch)
    if launch is launch_process:
        result = replace(result, notes=(*result.notes, UNGUARDED))
    return result
