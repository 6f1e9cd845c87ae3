"""Made-up classes, each handed in or graded once for the whole run; and the command, run at a course's root."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader import cli
from grader.course import Course
from grader.launch import Launch
from tests.grader.graded_class import GradedClass, hand_in_and_grade
from tests.grader.marked_class import hand_in_and_mark
from tests.grader.planted_course import copy_course, plant
from tests.grader.small_class import STUDENTS, grade, hand_in_small_class, outcome


@pytest.fixture(scope="session")
def graded_class(tmp_path_factory: pytest.TempPathFactory, launch: Launch) -> GradedClass:
    """Labs 1 and 4, graded, with a marker in all that is hidden (tests.grader.graded_class)."""
    course = copy_course(tmp_path_factory.mktemp("course"))
    plant(course.root)
    return hand_in_and_grade(course, launch)


@pytest.fixture(scope="session")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = copy_course(tmp_path_factory.mktemp("handed_in"))
    hand_in_small_class(course)
    return course


@pytest.fixture
def course(handed_in: Course, tmp_path: Path) -> Course:
    """A copy of the small class, not graded yet."""
    shutil.copytree(handed_in.root, tmp_path / "course")
    return Course(tmp_path / "course")


@pytest.fixture(scope="session")
def undisturbed(handed_in: Course, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What grading the small class leaves: one worker, and nothing goes wrong."""
    folder = tmp_path_factory.mktemp("undisturbed") / "course"
    shutil.copytree(handed_in.root, folder)
    rows = grade(Course(folder), launch, workers=1)
    assert {row.status for row in rows} == {"graded", "crashed"}
    found = outcome(Course(folder))
    assert len(found["marks"]) == STUDENTS
    return found


@pytest.fixture(scope="session")
def marked(tmp_path_factory: pytest.TempPathFactory, launch: Launch) -> Course:
    """A class with every standing there is (tests.grader.marked_class). Change only copies of it."""
    course = copy_course(tmp_path_factory.mktemp("marked"))
    hand_in_and_mark(course, launch)
    return course


@pytest.fixture
def marked_copy(marked: Course, tmp_path: Path) -> Course:
    shutil.copytree(marked.root, tmp_path / "course")
    return Course(tmp_path / "course")


@pytest.fixture
def admit_one(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs the command at a course's root: its exit code, and what it said on stdout and stderr."""

    def run(course: Course, *asked: str | Path) -> tuple[int, str, str]:
        monkeypatch.chdir(course.root)
        monkeypatch.setattr(sys, "argv", ["admit-one", *map(str, asked)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run
