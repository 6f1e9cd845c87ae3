"""An instructor is no root: an ordinary user's run over a class leaves the same bytes, sandbox on."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from grader.course import Course
from tests.grader.small_class import STUDENTS, marks, outcome
from tests.hostile.attacks import LAB1
from tests.ordinary_user import UID, as_ordinary_user

if os.geteuid() == 0:  # else all the other tests of the class show it

    def run(course: Course, *command: str) -> str:
        done = subprocess.run([*as_ordinary_user(course.root), *command], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def test_an_ordinary_user_grades_a_class_as_root_does(course: Course, undisturbed: dict[str, Any]) -> None:
        rows = json.loads(run(course, "-m", "grader.cli", "grade", "1", "--json"))
        assert [row["is_new"] for row in rows] == [True] * STUDENTS
        assert outcome(course) == undisturbed
        run(course, "-m", "nbgrader", "autograde", LAB1, "--student", "s3", "--force")
        assert marks(course) == undisturbed["marks"]
        assert {path.stat().st_uid for path in course.autograded.rglob("*")} == {int(UID)}
