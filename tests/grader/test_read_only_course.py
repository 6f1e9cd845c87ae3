"""A course that cannot be written, for real: each command says so in one line, and claims no more than it did."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course import Course
from tests.hostile.attacks import LAB1

READ_ONLY = "cannot be written: Read-only file system: make it writable, with room, and run again\n"


def admit_one_where_read_only(course: Course, folder: Path, *asked: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command at the course's root, where ``folder`` is mounted read-only, for root too."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is missing: apt install bubblewrap")
    mounts = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(folder), str(folder)]
    command = [*mounts, sys.executable, "-m", "grader.cli", *map(str, asked)]
    return subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=120)


def test_grading_says_so_in_one_line(course: Course) -> None:
    done = admit_one_where_read_only(course, course.root / "course", "grade", "1", "--no-sandbox")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"admit-one: course/ {READ_ONLY}")


def test_collecting_says_so_in_one_line(course: Course, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    shutil.copytree(course.submitted / "s0" / LAB1, inbox / "ann")
    done = admit_one_where_read_only(course, course.root / "course", "collect", inbox)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"admit-one: course/ {READ_ONLY}")


def test_feedback_names_the_folder_and_counts_no_page_that_is_there_from_before(marked_copy: Course) -> None:
    (marked_copy.feedback / "ada" / LAB1).mkdir(parents=True)
    page = marked_copy.feedback / "ada" / LAB1 / f"{LAB1}.html"
    page.write_text("from before")
    done = admit_one_where_read_only(marked_copy, marked_copy.feedback, "feedback", "1")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"admit-one: course/feedback/ {READ_ONLY}")
    folder = marked_copy.feedback / "ada"
    done = admit_one_where_read_only(marked_copy, folder, "feedback", "1")
    assert done.returncode == 1
    assert f"no page for ada, {LAB1}: nbgrader wrote none" in done.stdout
    written = len(list(marked_copy.feedback.glob("*/*/*.html"))) - 1  # hers is still there
    assert re.search(rf"^{written} feedback pages?, 0 in the place of older ones", done.stdout, re.MULTILINE)


def test_doctor_looks_at_the_course_and_not_at_what_it_lies_in(course: Course) -> None:
    done = admit_one_where_read_only(course, course.root / "course", "doctor", "--json")
    assert '"make course/ writable"' in done.stdout
