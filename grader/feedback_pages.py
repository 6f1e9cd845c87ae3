"""Writes nbgrader's feedback pages, for the submissions that were graded and for no others."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from traitlets import import_item

from grader.course import Course, nbgrader_api, writing
from grader.marks import Mark
from grader.progress import Progress
from grader.status import NOT_GRADED


@dataclass(frozen=True)
class Page:
    """One submission's page, or the ``trouble`` why there is none. ``is_replaced``: an older one was in its place."""

    student: str
    lab_id: str
    path: str
    is_replaced: bool
    trouble: str


def write_pages(course: Course, marks: Sequence[Mark], progress: Progress = lambda *_: None) -> list[Page]:
    """A page for each mark of somebody who handed in; a page that is there already is written anew.

    One counts where nbgrader has written it now: what could not be replaced is of before. Raises CourseNotWritable.

    Who could not be graded, and has no mark by hand, has none (grader.plugins.NotGraded): an older one is taken away.
    """
    handed_in = [mark for mark in marks if mark.status != "not_submitted"]
    paths = {mark: course.feedback / mark.student / mark.lab_id / f"{mark.lab_id}.html" for mark in handed_in}
    older = {mark for mark, path in paths.items() if path.exists()}
    graded = sum(_is_graded(mark) for mark in handed_in)
    with writing(course, course.feedback):
        course.feedback.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=course.feedback):
            pass
    api = nbgrader_api(course)
    instructors_hook = api.config.GenerateFeedback.get("post_convert_hook")
    written: set[tuple[str, str]] = set()

    def count(**names: Any) -> None:
        for lab in {Path(notebook).parent for notebook in names["notebooks"]}:
            written.add((lab.parent.name, lab.name))
        progress("Writing feedback", min(len(written), graded), graded)
        if instructors_hook:
            (import_item(instructors_hook) if isinstance(instructors_hook, str) else instructors_hook)(**names)

    api.config.GenerateFeedback.post_convert_hook = count
    progress("Writing feedback", 0, graded)
    for lab_id in dict.fromkeys(mark.lab_id for mark in handed_in):
        unsure = [mark.student for mark in handed_in if mark.lab_id == lab_id and mark.status == NOT_GRADED]
        api.coursedir.student_id_exclude = ",".join(unsure)
        api.generate_feedback(lab_id)
    pages = []
    for mark, path in paths.items():
        is_new = (mark.student, mark.lab_id) in written
        pages.append(Page(mark.student, mark.lab_id, str(path), is_new and mark in older, _trouble(mark, is_new)))
    return pages


def _is_graded(mark: Mark) -> bool:
    return mark.points is not None or mark.status not in ("not_submitted", "could_not_grade", NOT_GRADED)


def _trouble(mark: Mark, is_new: bool) -> str:
    if not _is_graded(mark):
        return f"{mark.status}, {mark.first_wrong}"
    command = f"nbgrader generate_feedback {mark.lab_id} --student {shlex.quote(mark.student)}"
    return "" if is_new else f"nbgrader wrote none; {command} says why"
