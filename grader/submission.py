"""A submission's way to its result: bytes in, a plain JSON result out, kept under the submission's own key.

The same result is what ``admit-one grade`` computes ahead, what plain ``nbgrader autograde`` computes on the way, and
what is found again on a rerun: both give the same marks, and a rerun does no work twice (spec 4, the class).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from grader.bounds import MIB
from grader.course import Course
from grader.exam import Exam, files_of_lab
from grader.feedback import CheckReport, report_checks
from grader.grading import CellOutput, grade_notebook
from grader.inbox import LARGEST_NOTEBOOK
from grader.launch import Launch, launch_process
from grader.notebook import NotANotebook, read_notebook
from grader.repair import repair
from stub_server.fixtures import FOLDER
from workshop.lab import Lab

VERDICT_FILE = "verdict.json"
_CELL_TYPES = ("code", "markdown", "raw")
_CHECK_CALL = re.compile(r"""^check\(["'](\w+)\.""", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """What grading one notebook gave, as plain data: the reports by grade_id, cell outputs by cell id."""

    status: str
    notes: tuple[str, ...]
    reports: dict[str, CheckReport]
    outputs: dict[str, CellOutput]

    @property
    def points(self) -> int | None:
        """None where nothing was judged: that is not 0."""
        if self.status == "could_not_grade":
            return None
        return sum(report.points for report in self.reports.values())

    @property
    def first_wrong(self) -> str:
        return next((report.first_wrong for report in self.reports.values() if report.first_wrong), "")

    def to_json(self) -> str:
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Result:
        raw: dict[str, Any] = json.loads(text)
        return cls(
            status=raw["status"],
            notes=tuple(raw["notes"]),
            reports={key: CheckReport.from_dict(report) for key, report in raw["reports"].items()},
            outputs={
                key: CellOutput(output["printed"], tuple(output["error"]) if output["error"] else None)
                for key, output in raw["outputs"].items()
            },
        )


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
    return repaired.notebook, (*repaired.notes, *changed), bool(changed)


def grade_submission(data: bytes, exam: Exam, launch: Launch) -> Result:
    """Grade one submitted notebook. A pure function of its bytes and the exam; raises NotANotebook."""
    notebook, notes, is_tampered = mend(read_notebook(data), exam)
    graded = grade_notebook(notebook, exam, launch)
    if is_tampered and graded.status != "could_not_grade":
        graded = replace(graded, status="tampered")
    return Result(
        status=graded.status,
        notes=(*notes, *graded.notes),
        reports=report_checks(graded, exam.lab, exam.patterns),
        outputs={notebook.cells[index].id: output for index, output in graded.outputs.items()},
    )


def submission_key(data: bytes, version: str) -> str:
    """Names a result: the submission's bytes, and the version of all else that its mark depends on."""
    return hashlib.sha256(data + b"\0" + version.encode()).hexdigest()


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


class ResultStore:
    """Results as files below the course's work folder; each appears whole or not at all."""

    def __init__(self, course: Course) -> None:
        self._folder = course.root / course.work / "results"

    def get(self, key: str) -> Result | None:
        try:
            return Result.from_json((self._folder / f"{key}.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError, LookupError, TypeError):  # a half-written one does not count
            return None

    def put(self, key: str, result: Result) -> None:
        """Keep ``result``; what could not be graded is not kept, so that the next run tries again."""
        if result.status == "could_not_grade":
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        unfinished = self._folder / f".{key}.{os.getpid()}.{threading.get_ident()}"
        try:
            unfinished.write_text(result.to_json(), encoding="utf-8")
            os.replace(unfinished, self._folder / f"{key}.json")
        finally:
            unfinished.unlink(missing_ok=True)


def grade_bytes(data: bytes, exam: Exam, launch: Launch) -> Result:
    """grade_submission, a second time where the first came to nothing: a sandbox may be killed from outside."""
    result = grade_submission(data, exam, launch)
    if result.status == "could_not_grade":
        result = grade_submission(data, exam, launch)
    if launch is launch_process:
        result = replace(result, notes=(*result.notes, "graded without a sandbox"))
    return result
