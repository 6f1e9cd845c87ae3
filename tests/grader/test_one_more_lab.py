"""What to touch to add a lab, and nothing else (spec 6): the smallest lab there can be, in a kit that has no other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from grader.course import Course
from grader.launch import Launch
from grader.made_up import fill, read_cells, solution_cells
from grader.solved import read_solved
from tests.solved import ROOT
from tests.submissions import hand_in
from workshop.lab import all_labs

LAB = "lab99_first_denial"
WRITTEN = ROOT / "tests" / "one_more_lab"
LISTED = (f"solutions/{LAB}/", f"fixtures/{LAB}/", "grader/drivers/", f"tests/mutants/{LAB}/", f"tests/variants/{LAB}/")
GENERATED = (
    *("README.md", "docs/matrix.md", f"fixtures/{LAB}/patterns.json", f"solutions/{LAB}/hidden_patterns.json"),
    *(f"notebooks/{LAB}/", f"tests/golden/{LAB}/", "course/"),
)
KIT = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "docs",
    "grader",
    "nbgrader_config.py",
    "permits",
    "pyproject.toml",
    "stub_server",
    "tests",
    "workshop",
    "fixtures/stub_server",
)
OVER_ALL_LABS = ("tests/test_notebooks.py", "tests/matrix/test_points.py", "tests/hostile/test_unearned.py")


def files(root: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(root).as_posix(), path.read_bytes()


def run(kit: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A Python module of the copied kit, as a maintainer runs it there."""
    environment = {**os.environ, "PYTHONPATH": str(kit), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=kit, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def without_labs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kit, and of the labs that it has neither folders nor drivers."""
    kit = tmp_path_factory.mktemp("kit")
    labs = [name for lab in all_labs(ROOT) for name in (lab.id, f"{lab.prefix}.py")]
    for name in KIT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, kit / name, ignore=shutil.ignore_patterns("__pycache__", *labs))
        else:
            shutil.copy(ROOT / name, kit / name)
    return kit


@pytest.fixture(scope="module")
def before(without_labs: Path) -> dict[str, bytes]:
    """All files, the new lab's own among them, before any command was run."""
    shutil.copytree(WRITTEN, without_labs, dirs_exist_ok=True)
    return dict(files(without_labs))


@pytest.fixture(scope="module")
def written(without_labs: Path, before: dict[str, bytes], launch: Launch) -> subprocess.CompletedProcess[str]:
    """What the one command says that brings in step all that is generated."""
    return run(without_labs, "grader.cli", "check", "99", "--write", "--workers", "1")


@pytest.fixture(scope="module")
def kit(without_labs: Path, written: object) -> Path:
    return without_labs


def test_a_lab_is_two_folders_a_short_driver_its_wrong_and_its_right_solutions() -> None:
    names = [name for name, _ in files(WRITTEN)]
    assert {next((part for part in LISTED if name.startswith(part)), name) for name in names} == set(LISTED)
    [driver] = (WRITTEN / "grader" / "drivers").iterdir()
    assert driver.read_text(encoding="utf-8").count("\n") <= 30


def test_no_other_file_is_edited(kit: Path, before: dict[str, bytes]) -> None:
    after = dict(files(kit))
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert [name for name in sorted(changed) if not name.startswith(GENERATED)] == []
    assert b"| 99 `lab99_first_denial` | Find the first denial in a list of decisions | 5 |" in after["README.md"]


def test_the_kit_has_no_fault_with_it(written: subprocess.CompletedProcess[str]) -> None:
    assert (written.returncode, written.stdout.splitlines()[-1]) == (0, "No faults."), written.stdout + written.stderr


def test_it_is_released_handed_in_and_graded(kit: Path) -> None:
    released = run(kit, "grader.cli", "release", "99")
    assert released.returncode == 0, released.stderr
    untouched = nbformat.read(kit / "notebooks" / LAB / f"{LAB}.ipynb", as_version=4)
    solved = fill(untouched, solution_cells(read_solved(kit, LAB)))
    mistake = read_cells(kit / "tests" / "mutants" / LAB / "last_one_told.py")
    for student, notebook in {"all": solved, "none": untouched, "wrong": fill(solved, mistake.cells)}.items():
        hand_in(Course(kit), student, LAB, notebook)

    done = run(kit, "grader.cli", "grade", "99", "--json", "--workers", "1")
    assert done.returncode == 0, done.stderr
    rows = {row["student"]: (row["points"], row["status"]) for row in json.loads(done.stdout)}
    assert rows == {"all": (20, "graded"), "none": (0, "graded"), "wrong": (8, "graded")}


def test_the_tests_that_go_over_all_labs_take_it_in(kit: Path) -> None:
    done = run(kit, "pytest", "-o", "addopts=--import-mode=importlib", "-k", "lab99", *OVER_ALL_LABS)
    assert done.returncode == 0, done.stdout
