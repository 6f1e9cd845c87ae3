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
    """What became of one notebook: ``taken``, ``replaced`` (another was there), ``same`` or ``refused``, and why.

    Or of a student's folder or file that holds no notebook at all, by the first file in it: ``left_out``.
    """

    source: str
    student: str
    lab_id: str
    outcome: str
    why: str = ""

    @property
    def is_taken(self) -> bool:
        """It lies in submitted/ now."""
        return self.outcome in ("taken", "replaced", "same")


def collect(course: Course, labs: Sequence[Lab], inbox: Path) -> Iterator[HandIn]:
    """Take every notebook of ``inbox`` that is one of ``labs``; the rest is refused or left out, with its reason.

    A student is the folder, or the zip, or the part of a file's name that an LMS puts first. The lab is told by the
    notebook's own cells, whatever it is called. What lies beside a notebook (a card, a transcript) is passed over.
    Raises InboxUnreadable and CourseNotWritable.
    """
    taken: dict[tuple[str, str], str] = {}
    others: dict[tuple[str, ...], Found] = {}
    with_notebook: set[tuple[str, ...]] = set()
    for found in read_inbox(inbox):
        first = found.names[:1]
        if not found.is_notebook:
            others.setdefault(first, found)
            continue
        with_notebook.add(first)
        source = _source(found, inbox)
        try:
            name = _name(found)
            lab = _lab(found, labs)
        except NotANotebook as problem:
            yield HandIn(source, "", "", "refused", str(problem))
            continue
        student = _without_lab(name, [lab])
        if (student, lab.id) in taken:
            first_one = taken[student, lab.id]
            why = f"a second notebook for this lab; {first_one} was taken: if that is the wrong one, take it out"
            yield HandIn(source, student, lab.id, "refused", why)
            continue
        if student in (lab.id, lab.prefix):
            yield HandIn(source, "", lab.id, "refused", "whose is it? put it into a folder named after its student")
            continue
        taken[student, lab.id] = source
        yield HandIn(source, student, lab.id, _put(course, student, lab, found.data))
    for first, found in others.items():
        if first not in with_notebook:
            yield _left_out(found, labs, inbox)


def _source(found: Found, inbox: Path) -> str:
    return "/".join(found.names) or inbox.name


def _left_out(found: Found, labs: Sequence[Lab], inbox: Path) -> HandIn:
    try:
        student = _without_lab(_name(found), labs)
    except NotANotebook:
        student = ""
    return HandIn(_source(found, inbox), student, "", "left_out", "not a notebook")


def _name(found: Found) -> str:
    """What it lies in, or is called. Raises NotANotebook where that could not be a student's folder."""
    if found.problem:
        raise NotANotebook(found.problem)
    if ".." in found.names:
        raise NotANotebook("its path leads out of the inbox")
    first = found.names[0] if found.names else ""
    if first.endswith((".ipynb", ".zip")) or found.names == (first,):
        first = first.rpartition(".")[0] or first
    name = _BEHIND_A_NAME.sub("", first)
    if not _PLAIN_NAME.fullmatch(name) or name != name.rstrip(" ."):
        raise NotANotebook(f"no student is called {name!r}: rename what it lies in")
    return name


def _without_lab(name: str, labs: Sequence[Lab]) -> str:
    """``eve`` of ``eve_lab1``: the lab behind a student's name is no part of it."""
    called = "|".join(re.escape(word) for lab in labs for word in (lab.id, lab.prefix))
    return re.sub(rf"(?<=\w)[ _-]+({called})$", "", name, flags=re.IGNORECASE)


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
