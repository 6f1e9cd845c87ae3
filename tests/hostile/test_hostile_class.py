"""Everything hostile and honest in one class and one run: no unearned point, no honest mark changed, nothing told."""

from __future__ import annotations

import copy
import json
import os
import socket
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook

from grader.bounds import Bounds
from grader.classroom import Row, grade_with, threads
from grader.course import Course
from grader.exam import read_exam
from grader.hand_ins import find_submissions
from grader.launch import Launch
from grader.made_up import fill, solution_cells
from grader.release import release_lab
from grader.results import Result
from grader.solved import dump, read_solved
from tests.grader.graded_class import NOISE
from tests.grader.planted_course import MARKER, copy_course, plant
from tests.hostile.attacks import ATTACKS, LAB1, LAB4, Attack
from tests.hostile.breakers import BREAKERS, PRIES
from tests.hostile.damage import DAMAGES, FILES
from tests.solved import ROOT
from tests.submissions import made_up
from workshop.lab import all_labs

NEIGHBOUR = "PLUGH-OF-A-NEIGHBOUR"
SURROUNDINGS = "FROTZ-OF-THE-INSTRUCTOR"
BOUND_S = Bounds().notebook_s + Bounds().start_s
WORKERS = 6


@dataclass
class Expected:
    """What one student must get, and what it got in how many seconds."""

    kind: str
    status: tuple[str, ...]
    points: int | None
    is_honest: bool = False
    row: Row | None = None
    seconds: float = 0.0

    def is_kept(self) -> bool:
        return self.row is not None and self.row.status in self.status and self.row.points == self.points


@dataclass
class HostileClass:
    course: Course
    expected: dict[tuple[str, str], Expected] = field(default_factory=dict)
    calls: list[Any] = field(default_factory=list)
    seconds: float = 0.0

    def folder(self, kind: str, lab_id: str, status: tuple[str, ...], points: int | None, **more: Any) -> Path:
        """An empty folder for the notebook of a new student, who is expected to get this."""
        student = f"s{len(self.expected):03}"
        self.expected[student, lab_id] = Expected(kind, status, points, **more)
        folder = self.course.submitted / student / lab_id
        folder.mkdir(parents=True)
        return folder


def with_cells(notebook: Any, attack: Attack) -> Any:
    filled = fill(notebook, attack.cells)
    if attack.first:
        filled.cells.insert(0, new_code_cell(attack.first, id="own-first"))
    if attack.last:
        filled.cells.append(new_code_cell(attack.last, id="own-last"))
    return filled


def hand_in(hostile: HostileClass, port: int) -> None:
    course = hostile.course
    released, solved = {}, {}
    for lab_id in (LAB1, LAB4):
        released[lab_id] = nbformat.read(course.root / "notebooks" / lab_id / f"{lab_id}.ipynb", as_version=4)
        solved[lab_id] = fill(released[lab_id], solution_cells(read_solved(ROOT, lab_id)))

    def put(folder: Path, notebook: Any) -> None:
        (folder / f"{folder.name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")

    def honest(kind: str, lab_id: str, notebook: Any, points: int) -> None:
        put(hostile.folder(kind, lab_id, ("graded",), points, is_honest=True), notebook)

    for lab in all_labs(course.root):
        honest("honest: solved", lab.id, solved[lab.id], lab.points)
        honest("honest: untouched", lab.id, released[lab.id], 0)
        noisy = copy.deepcopy(solved[lab.id])
        noisy.cells.insert(2, new_code_cell(NOISE, id="noise"))
        noisy.cells.append(new_code_cell(f"# {NEIGHBOUR}", id="own"))
        honest("honest: prints and logs", lab.id, noisy, lab.points)
        points = {group.id: group.points for check in lab.checks for group in check.groups}
        for wrong in made_up("mutants", lab.id)[::9]:
            lost = sum(points[group] for group in wrong.loses)
            honest(f"honest: {wrong.name}", lab.id, fill(solved[lab.id], wrong.cells), lab.points - lost)
    for attack in [*ATTACKS, *BREAKERS]:
        frame = solved if attack.solved else released
        folder = hostile.folder(attack.name, attack.lab_id, attack.status, attack.points)
        put(folder, with_cells(frame[attack.lab_id], attack))
    pries = PRIES.format(root=str(course.root), port=port)
    put(
        hostile.folder("pries and calls home", LAB1, ("graded",), 20),
        with_cells(solved[LAB1], Attack("", LAB1, first=pries)),
    )
    for damage in DAMAGES:
        notebook = copy.deepcopy(solved[LAB4])
        damage.do(notebook)
        put(hostile.folder(damage.name, LAB4, damage.status, damage.points), notebook)
    for file in FILES:
        file.put(hostile.folder(file.name, LAB4, (file.status,), file.points), dump(solved[LAB4]))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, launch: Launch) -> HostileClass:
    course = copy_course(tmp_path_factory.mktemp("hostile"))
    plant(course.root)
    for lab in all_labs(course.root):
        release_lab(course, lab)
    (course.root / "course" / "notes.txt").write_text(SURROUNDINGS)
    os.environ["OF_THE_INSTRUCTOR"] = SURROUNDINGS
    hostile = HostileClass(course)
    with socket.create_server(("127.0.0.1", 0)) as home:
        threading.Thread(target=count_calls, args=(home, hostile.calls), daemon=True).start()
        hand_in(hostile, home.getsockname()[1])
        grade(hostile, launch)
        home.shutdown(socket.SHUT_RDWR)
    del os.environ["OF_THE_INSTRUCTOR"]
    write_table(hostile)
    return hostile


def count_calls(home: socket.socket, calls: list[Any]) -> None:
    try:
        while True:
            calls.append(home.accept())
    except OSError:
        return


def grade(hostile: HostileClass, launch: Launch) -> None:
    submissions = [
        one for one in find_submissions(hostile.course, [LAB1, LAB4]) if (one.student, one.lab_id) in hostile.expected
    ]
    took: dict[bytes, float] = {}
    exams = {lab_id: read_exam(hostile.course, lab_id) for lab_id in (LAB1, LAB4)}
    with threads(exams, launch, WORKERS) as pool:

        def timed(lab_id: str, data: bytes) -> Result:
            started = time.monotonic()
            try:
                return pool.grade(lab_id, data)
            finally:
                took[data] = time.monotonic() - started

        started = time.monotonic()
        for row in grade_with(replace(pool, grade=timed), hostile.course, submissions):
            hostile.expected[row.student, row.lab_id].row = row
        hostile.seconds = time.monotonic() - started
    for one in submissions:
        if one.path.is_file() and one.path.stat().st_size < 1 << 20:
            hostile.expected[one.student, one.lab_id].seconds = took.get(one.path.read_bytes(), 0.0)


def write_table(hostile: HostileClass) -> None:
    """artifacts/hostile_class.txt: what a reader asks for first."""
    lines = [f"{'kind':<52} {'status':<14} {'points':>6}  {'seconds':>7}  bound kept"]
    for one in hostile.expected.values():
        points = "-" if one.row is None or one.row.points is None else str(one.row.points)
        status = one.row.status if one.row else "no row"
        told = "yes" if one.seconds <= BOUND_S else "NO"
        wrong = "" if one.is_kept() else f"   WRONG: must be {' or '.join(one.status)}, {one.points}"
        lines.append(f"{one.kind:<52} {status:<14} {points:>6}  {one.seconds:7.1f}  {told}{wrong}")
    lines.append(f"{len(hostile.expected)} submissions in {hostile.seconds:.0f} s, {WORKERS} workers")
    path = ROOT / "artifacts" / "hostile_class.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def faults(hostile: HostileClass, *, is_honest: bool) -> list[str]:
    return [
        f"{one.kind}: {one.row and (one.row.status, one.row.points, one.row.first_wrong)}"
        for one in hostile.expected.values()
        if one.is_honest == is_honest and not one.is_kept()
    ]


def test_no_honest_mark_is_changed(hostile: HostileClass) -> None:
    assert faults(hostile, is_honest=True) == []


def test_every_hostile_kind_gets_its_status_and_no_unearned_point(hostile: HostileClass) -> None:
    assert faults(hostile, is_honest=False) == []


def test_the_gradebook_has_the_same_marks(hostile: HostileClass) -> None:
    with Gradebook(hostile.course.db_url) as gradebook:
        recorded = {
            (submission.student.id, lab_id): submission.score
            for lab_id in (LAB1, LAB4)
            for submission in gradebook.assignment_submissions(lab_id)
        }
    assert recorded == {key: one.points for key, one in hostile.expected.items() if one.points is not None}


def test_every_submission_keeps_its_bound(hostile: HostileClass) -> None:
    assert {one.kind: one.seconds for one in hostile.expected.values() if one.seconds > BOUND_S} == {}


def test_nothing_is_told(hostile: HostileClass) -> None:
    """Neither hidden cases and solutions, nor a neighbour's notebook, nor the instructor's environment and files."""
    course = hostile.course
    honest = {student for (student, _), one in hostile.expected.items() if one.is_honest}
    told = []
    for path in [*course.autograded.rglob("*"), *(course.root / "course" / "results").glob("*")]:
        if path.is_file():
            text = path.read_bytes()
            of_honest = (
                path.is_relative_to(course.autograded) and path.relative_to(course.autograded).parts[0] in honest
            )
            secrets = [MARKER, SURROUNDINGS, *([] if of_honest else [NEIGHBOUR])]
            told += [(path.name, secret) for secret in secrets if secret.encode() in text]
    assert told == []


def test_nobody_called_home(hostile: HostileClass) -> None:
    assert hostile.calls == []


def test_a_script_of_a_student_is_text(hostile: HostileClass) -> None:
    """In the graded notebook it stands as a block of code, which whatever renders Markdown escapes."""
    graded = [nbformat.read(path, as_version=4) for path in hostile.course.autograded.rglob("*.ipynb")]
    texts = [cell.source for notebook in graded for cell in notebook.cells if cell.cell_type == "markdown"]
    found = [line for text in texts for line in text.splitlines() if "<script>alert(1)" in line]
    assert found
    assert all(line.startswith("    ") for line in found)
