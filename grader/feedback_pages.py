"""Writes nbgrader's feedback pages for the submissions that were graded, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, nbgrader_api

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Page:
    """One student's page for one lab. ``is_new`` is False where it took the place of an older one.

    ``trouble`` is the last line of what nbgrader said where it wrote none, and empty where it did.
    """

    student: str
    lab_id: str
    path: Path
    is_new: bool
    trouble: str


def write_pages(course: Course, graded: Sequence[tuple[str, str]], progress: Progress = lambda *_: None) -> list[Page]:
    """Write the page of each (student, lab) of ``graded``; a page that is there already is written anew."""
    api = nbgrader_api(course)
    pages = []
    for done, (student, lab_id) in enumerate(graded, start=1):
        path = course.feedback / student / lab_id / f"{lab_id}.html"
        is_new = not path.exists()
        result = api.generate_feedback(lab_id, student)
        said = (result.get("error") or result.get("log") or "nbgrader wrote no page").strip().splitlines()
        is_written = result["success"] and path.is_file()
        pages.append(Page(student, lab_id, path, is_new, "" if is_written else said[-1]))
        progress("Writing feedback", done, len(graded))
    return pages
