"""Writes results where nbgrader keeps them: the graded notebook into autograded/, the marks into the gradebook.

``nbgrader autograde`` with grader.plugins does the same, and opens the gradebook nine times a submission. Here it is
open for the whole run, and a submission is one transaction. A test holds the two against each other.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import writes

from grader.course import Course, nbgrader_config
from grader.exam import Exam
from grader.feedback import CheckReport
from grader.graded_notebook import show_result
from grader.notebook import read_notebook
from grader.quick_start import import_nbgrader
from grader.results import Result
from grader.run_lock import CouldNotRecord, could_not_write
from grader.status import STATUSES
from grader.submission import mend
from grader.verdict_file import VERDICT_FILE, verdict_document

_PATIENCE_S = 60.0
"""How long another program may hold the gradebook before the run gives up."""
_READ_ONLY = 0o444
_LONG_OUTPUT = 100
"""Lines; LimitOutput allows 1000 of them."""
_LONGEST_TIMESTAMP = 100
"""Bytes; a time with its zone has about 32."""


@dataclass(frozen=True)
class _Register:
    """A lab as the gradebook knows it: row ids, checksums by grade_id, and the two kinds of cells.

    ``graded`` gives the grade_id of a graded cell's row, ``to_fill_in`` the row of a cell to fill in by its grade_id.
    """

    assignment: str
    notebook: str
    kernelspec: Any
    checksums: dict[str, str]
    graded: dict[str, str]
    to_fill_in: dict[str, str]


@contextmanager
def open_recorder(course: Course, exams: dict[str, Exam]) -> Iterator[Recorder]:
    """The gradebook, open for one run; raises CouldNotRecord where it cannot be, or does not know these labs."""
    import_nbgrader()
    from nbgrader.api import Gradebook

    config = nbgrader_config(course)
    course.gradebook.parent.mkdir(parents=True, exist_ok=True)
    with _patiently(lambda: Gradebook(course.db_url, config.CourseDirectory.course_id)) as gradebook:
        gc.freeze()  # what nbgrader loaded stays: no collection need look at it again
        yield Recorder(course, exams, gradebook, config)


class Recorder:
    """Records results one after another; one thread only."""

    def __init__(self, course: Course, exams: dict[str, Exam], gradebook: Any, config: Any) -> None:
        self._course = course
        self._exams = exams
        self._db = gradebook.db
        self._registers = {lab_id: self._register(gradebook, lab_id) for lab_id in exams}
        self._config = config

    @cached_property
    def _limit_output(self) -> Any:
        from nbgrader.preprocessors import LimitOutput  # which loads nbconvert: a quarter of a second

        return LimitOutput(config=self._config)

    @cached_property
    def _late(self) -> Any:
        from nbgrader.preprocessors import AssignLatePenalties

        late = AssignLatePenalties(config=self._config)
        late.init_plugin()
        return late

    def marks(self, lab_id: str) -> dict[str, float | None]:
        """What the gradebook says that the judge gave each student for a lab."""
        from nbgrader.api import Grade, SubmittedAssignment, SubmittedNotebook
        from sqlalchemy import func, select

        query = (
            select(SubmittedAssignment.student_id, func.sum(Grade.auto_score))
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
            .where(SubmittedAssignment.assignment_id == self._registers[lab_id].assignment)
            .group_by(SubmittedAssignment.student_id)
        )
        return dict(map(tuple, self._db.execute(query)))

    def record(self, student: str, lab_id: str, key: str, data: bytes, result: Result) -> None:
        """Write the marks, then put the graded notebook in its place; verdict.json in it says that all is done."""
        exam, register = self._exams[lab_id], self._registers[lab_id]
        notebook, _, _ = mend(read_notebook(data), exam)
        if register.kernelspec:
            notebook.metadata["kernelspec"] = register.kernelspec
        for cell in notebook.cells:
            if nbgrader := cell.metadata.get("nbgrader"):
                nbgrader["checksum"] = register.checksums[nbgrader["grade_id"]]
        show_result(notebook, result)
        if "LimitOutput" in self._config or _has_long_output(notebook):
            self._limit_output.preprocess(notebook, {})
        text = f"{writes(notebook)}\n"  # nbformat.writes would check it once more, and take its time
        document = verdict_document(result, exam.lab, key, data)
        _patiently(lambda: self._write_marks(student, lab_id, notebook, result), undo=self._db.rollback)
        try:
            self._put_in_place(student, lab_id, {f"{lab_id}.ipynb": text, VERDICT_FILE: document})
        except OSError as problem:
            raise could_not_write(problem) from problem

    def _register(self, gradebook: Any, lab_id: str) -> _Register:
        from nbgrader.api import MissingEntry

        try:
            known = gradebook.find_notebook(lab_id, lab_id)
        except MissingEntry:
            raise CouldNotRecord(f"the gradebook does not know {lab_id}: run admit-one release {lab_id}") from None
        register = _Register(
            assignment=known.assignment_id,
            notebook=known.id,
            kernelspec=json.loads(known.kernelspec) if known.kernelspec else None,
            checksums={cell.name: cell.checksum for cell in known.source_cells},
            graded={cell.id: cell.name for cell in known.grade_cells},
            to_fill_in={cell.name: cell.id for cell in known.solution_cells},
        )
        self._refuse_another_release(lab_id, {cell.name: cell.source for cell in known.source_cells if cell.locked})
        return register

    def _refuse_another_release(self, lab_id: str, locked: dict[str, str]) -> None:
        """Submissions are mended from the release, and nbgrader from its gradebook: both must say the same."""
        released = self._exams[lab_id].released
        cells = {cell.metadata["nbgrader"]["grade_id"]: cell for cell in released.cells if "nbgrader" in cell.metadata}
        theirs = {name: cell.source for name, cell in cells.items() if cell.metadata["nbgrader"].get("locked")}
        if theirs != locked:
            raise CouldNotRecord(f"the gradebook has another release of {lab_id}: run admit-one release {lab_id}")

    def _write_marks(self, student: str, lab_id: str, notebook: NotebookNode, result: Result) -> None:
        from nbgrader.api import Student

        if self._db.get(Student, student) is None:
            self._db.add(Student(id=student))
            self._db.flush()
        register = self._registers[lab_id]
        handed_in, paper = self._submitted(student, register)
        handed_in.timestamp = _timestamp(self._course.submitted / student / lab_id)
        for grade in paper.grades:
            set_grade(grade, result.reports.get(register.graded[grade.cell_id]))
        comments = {comment.cell_id: comment for comment in paper.comments}
        for cell in notebook.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if grade_id in register.to_fill_in:
                is_untouched = _checksum(cell) == register.checksums[grade_id]
                comments[register.to_fill_in[grade_id]].auto_comment = "No response." if is_untouched else None
        paper.flagged = STATUSES[result.status].needs_a_look
        paper.late_submission_penalty = self._late_penalty(student, handed_in, paper)
        self._db.commit()
        self._db.expunge_all()  # or each commit would look through all that went before

    def _submitted(self, student: str, register: _Register) -> tuple[Any, Any]:
        """The student's rows for this lab, new where there are none, and not committed."""
        from nbgrader.api import Comment, Grade, SubmittedAssignment, SubmittedNotebook

        known = (
            self._db.query(SubmittedNotebook)
            .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
            .filter(SubmittedNotebook.notebook_id == register.notebook, SubmittedAssignment.student_id == student)
            .one_or_none()
        )
        if known is not None:
            return known.assignment, known
        handed_in = SubmittedAssignment(assignment_id=register.assignment, student_id=student)
        paper = SubmittedNotebook(notebook_id=register.notebook, assignment=handed_in)
        paper.grades = [Grade(cell_id=cell) for cell in register.graded]
        paper.comments = [Comment(cell_id=cell) for cell in register.to_fill_in.values()]
        self._db.add(handed_in)
        return handed_in, paper

    def _late_penalty(self, student: str, handed_in: Any, paper: Any) -> float | None:
        """As nbgrader's AssignLatePenalties has it, by the plug-in that the instructor chose."""
        if handed_in.timestamp is None:
            return None
        self._db.flush()
        self._db.refresh(paper)  # its score is a query
        late_s = handed_in.total_seconds_late
        if late_s <= 0:
            return None
        penalty = self._late.plugin_inst.late_submission_penalty(student, paper.score, late_s)
        return None if penalty is None else float(self._late._check_late_penalty(paper, penalty))

    def _put_in_place(self, student: str, lab_id: str, files: dict[str, str]) -> None:
        """All of the folder or nothing of it: a run can be killed anywhere."""
        unfinished = self._course.root / self._course.work / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for name, text in files.items():
            (unfinished / name).write_text(text, encoding="utf-8")
            (unfinished / name).chmod(_READ_ONLY)
        place = self._course.autograded / student / lab_id
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        os.replace(unfinished, place)


def _patiently(action: Callable[[], Any], undo: Callable[[], None] = lambda: None) -> Any:
    """Another program may have the gradebook locked for a while; SQLite waits for five seconds by itself."""
    from sqlalchemy.exc import DBAPIError

    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return action()
        except DBAPIError as problem:
            undo()
            if "locked" not in str(problem.orig) or time.monotonic() > until:
                raise CouldNotRecord(_explain(problem)) from problem
            logging.getLogger("admit_one").warning("another program has the gradebook locked; waiting for it")
        except BaseException:
            undo()
            raise


def set_grade(grade: Any, report: CheckReport | None) -> None:
    """The judge's points for one cell. Nothing judged: no mark, and a person must look (spec 4, inside nbgrader)."""
    grade.auto_score = None if report is None else float(report.points)
    grade.needs_manual_grade = report is None or grade.manual_score is not None


def _has_long_output(notebook: NotebookNode) -> bool:
    """Longer than nbgrader's LimitOutput may leave it, where nobody has set that otherwise."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return any(output.get("text", "").count("\n") >= _LONG_OUTPUT for output in outputs)


def _checksum(cell: NotebookNode) -> str:
    from nbgrader.utils import compute_checksum

    return str(compute_checksum(cell))


def _timestamp(folder: Path) -> datetime | None:
    """When it was handed in, as ``nbgrader collect`` wrote it down."""
    from nbgrader.utils import parse_utc

    path = folder / "timestamp.txt"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _LONGEST_TIMESTAMP:
        return None  # a student wrote it, or it is no time at all
    try:
        found: datetime | None = parse_utc(path.read_text(encoding="utf-8").strip())
    except (OSError, ValueError, OverflowError):
        return None
    return found


def _explain(problem: Exception) -> str:
    said = str(getattr(problem, "orig", problem))
    if "locked" in said:
        return "another program has the gradebook locked: close it and run again; what is graded is kept"
    if "full" in said:
        return f"the gradebook cannot be written, {said}: free some space and run again; what is graded is kept"
    return f"the gradebook cannot be used, {said}: mend that and run again; what is graded is kept"
