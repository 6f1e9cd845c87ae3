"""Puts hand-ins where grading finds them: an inbox's notebooks into submitted/STUDENT/LAB/LAB.ipynb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, writing
from grader.inbox import Found, read_inbox
from grader.lms import LMS
from grader.notebook import NotANotebook, read_notebook
from grader.submission import labs_asked
from grader.whole_file import write_whole
from workshop.lab import Lab

_BEHIND_A_NAME = re.compile(f"({'|'.join(lms.behind_a_name for lms in LMS.values())})$", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"\w[\w .@+'-]{0,63}")


@dataclass(frozen=True)
class HandIn:
    """What became of one notebook: ``taken``, ``replaced`` (another was there), ``same`` or ``refused``, and why."""

    source: str
    student: str
    lab_id: str
    outcome: str
    why: str = ""


def collect(course: Course, labs: Sequence[Lab], inbox: Path) -> Iterator[HandIn]:
    """Take every notebook of ``inbox`` that is one of ``labs``; the rest is refused, each with its reason.

    A student is the folder, or the zip, or the part of a file's name that an LMS puts first. The lab is told by the
    notebook's own cells, whatever it is called. Raises InboxUnreadable.
    """
    taken: set[tuple[str, str]] = set()
    for found in read_inbox(inbox):
        source = "/".join(found.names)
        try:
            student, lab = _student(found), _lab(found, labs)
        except NotANotebook as problem:
            yield HandIn(source, "", "", "refused", str(problem))
            continue
        if (student, lab.id) in taken:
            yield HandIn(source, student, lab.id, "refused", "a second notebook for this lab: keep one")
            continue
        if student in (lab.id, lab.prefix):
            yield HandIn(source, "", lab.id, "refused", "whose is it? put it into a folder named after its student")
            continue
        taken.add((student, lab.id))
        yield HandIn(source, student, lab.id, _put(course, student, lab, found.data))


def _student(found: Found) -> str:
    """Raises NotANotebook where there is none, or none that could be a folder's name."""
    if found.problem:
        raise NotANotebook(found.problem)
    if ".." in found.names:
        raise NotANotebook("its path leads out of the inbox")
    first = found.names[0] if found.names else ""
    name = _BEHIND_A_NAME.sub("", first.removesuffix(".ipynb").removesuffix(".zip"))
    if not _PLAIN_NAME.fullmatch(name) or name != name.rstrip(" ."):
        raise NotANotebook(f"no student is called {name!r}: rename what it lies in")
    return name


def _lab(found: Found, labs: Sequence[Lab]) -> Lab:
    asked = labs_asked(read_notebook(found.data))
    fitting = [lab for lab in labs if lab.prefix in asked]
    if len(fitting) != 1:
        raise NotANotebook("it asks the checks of no lab here" if not fitting else "it asks the checks of several labs")
    return fitting[0]


def _put(course: Course, student: str, lab: Lab, data: bytes) -> str:
    path = course.submitted / student / lab.id / f"{lab.id}.ipynb"
    if path.is_file() and path.read_bytes() == data:
        return "same"
    outcome = "replaced" if path.is_file() else "taken"
    with writing(course, course.root / course.work):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    return outcome
