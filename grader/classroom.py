"""Grades a class: results are computed side by side, one writer puts them into nbgrader's gradebook."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import Course, nbgrader_api
from grader.launch import Launch, launch_process
from grader.plugins import VERDICT_FILE
from grader.sandbox import sandboxes
from grader.submission import NotANotebook, grade_and_keep, lab_version, read_course_lab, submission_key
from workshop.lab import Lab

if TYPE_CHECKING:
    from nbgrader.apps import NbGraderAPI

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many are done and how many there are."""


@dataclass(frozen=True)
class Submission:
    """One student's notebook for one lab, where ``collect`` or ``nbgrader collect`` put it."""

    student: str
    lab_id: str
    path: Path


@dataclass(frozen=True)
class Row:
    """One line of the class: ``points`` is None where nothing was judged. ``is_new`` is False for a no-op rerun."""

    student: str
    lab_id: str
    points: int | None
    status: str
    first_wrong: str
    is_new: bool


def find_submissions(course: Course, lab_ids: Sequence[str]) -> list[Submission]:
    """The notebooks in submitted/STUDENT/LAB/LAB.ipynb, by lab and student; links are not followed."""
    return [
        Submission(path.parent.parent.name, lab_id, path)
        for lab_id in lab_ids
        for path in sorted(course.submitted.glob(f"*/{lab_id}/{lab_id}.ipynb"))
        if path.is_file() and not path.is_symlink()
    ]


@contextmanager
def open_launcher(root: Path, *, sandbox: bool) -> Iterator[Launch]:
    """A launcher for any number of notebooks: sandboxed, or, for code that is trusted, plain child processes.

    Raises SandboxUnavailable, with the remedy, where a sandbox is wanted and this machine gives none.
    """
    if sandbox:
        with sandboxes(root) as launch:
            yield launch
    else:
        yield launch_process


def grade_class(
    course: Course,
    submissions: Sequence[Submission],
    launch: Launch,
    *,
    workers: int,
    progress: Progress = lambda *_: None,
) -> Iterable[Row]:
    """Grade ``submissions`` and record them, in their order; what is recorded already is left as it is.

    ``launch`` starts the children that student code runs in: see open_launcher.
    Results are kept as they come (grader.submission.ResultStore), so a run that was broken off goes on where it was.
    """
    labs = {lab_id: read_course_lab(course, lab_id) for lab_id in {submission.lab_id for submission in submissions}}
    versions = {lab_id: lab_version(course, lab) for lab_id, lab in labs.items()}
    keys = {one: submission_key(one.path.read_bytes(), versions[one.lab_id]) for one in submissions}
    waiting = [submission for submission in submissions if not _is_recorded(course, submission, keys[submission])]
    problems: dict[Submission, NotANotebook] = {}

    def compute(one: Submission, lab: Lab) -> None:
        """Have the result in the store, where nbgrader's preprocessor finds it."""
        grade_and_keep(keys[one], one.path.read_bytes(), course, lab, launch)

    with ThreadPoolExecutor(workers) as pool:  # the work is done in child processes: threads only wait for them
        futures = {pool.submit(compute, one, labs[one.lab_id]): one for one in waiting}
        for done, future in enumerate(as_completed(futures), start=1):
            try:
                future.result()
            except NotANotebook as problem:
                problems[futures[future]] = problem
            progress("Grading", done, len(futures))
    api = nbgrader_api(course)
    for done, submission in enumerate(submissions, start=1):
        if submission in problems:
            student, lab_id = submission.student, submission.lab_id
            yield Row(student, lab_id, None, "not_submitted", str(problems[submission]), True)
        else:
            yield _record(course, api, submission, is_new=submission in waiting)
        progress("Recording", done, len(submissions))


def _is_recorded(course: Course, submission: Submission, key: str) -> bool:
    verdict = _read_verdict(course, submission)
    return verdict is not None and verdict["key"] == key and verdict["status"] != "could_not_grade"


def _read_verdict(course: Course, submission: Submission) -> dict[str, Any] | None:
    path = course.autograded / submission.student / submission.lab_id / VERDICT_FILE
    try:
        verdict: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return verdict


def _record(course: Course, api: NbGraderAPI, submission: Submission, *, is_new: bool) -> Row:
    """Let nbgrader record the result, and read back what it recorded."""
    student, lab_id = submission.student, submission.lab_id
    if is_new:
        done = api.autograde(lab_id, student, force=True, create=True)
        if not done["success"]:
            last = (done.get("error") or done.get("log") or "no word").strip().splitlines()[-1]
            return Row(student, lab_id, None, "could_not_grade", f"nbgrader: {last}", is_new)
    verdict = _read_verdict(course, submission)
    if verdict is None:
        return Row(student, lab_id, None, "could_not_grade", "nbgrader recorded no verdict", is_new)
    return Row(student, lab_id, verdict["points"], verdict["status"], verdict["first_wrong"], is_new)
