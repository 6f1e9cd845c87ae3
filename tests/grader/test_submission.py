"""What was handed in is read as a notebook or refused as none; nothing else comes of it, whatever it holds."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.course import Course
from grader.exam import read_exam
from grader.launch import launch_process
from grader.made_up import MadeUp
from grader.notebook import NotANotebook, read_notebook
from grader.solved import dump
from grader.submission import grade_once, lab_version, mend
from stub_server.fixtures import FOLDER
from tests.hostile.attacks import LAB1
from tests.solved import ROOT
from tests.submissions import submission

COURSE = Course(ROOT)
EXAM = read_exam(COURSE, LAB1)
RELEASED = json.loads((ROOT / "notebooks" / LAB1 / f"{LAB1}.ipynb").read_text(encoding="utf-8"))

VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["nbgrader", "tags", "x"]), inner),
    max_leaves=5,
)
KEY = st.sampled_from(["id", "cell_type", "metadata", "source", "outputs", "attachments"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, len(RELEASED["cells"]) - 1), KEY, VALUE), min_size=1, max_size=6))
def test_any_change_to_cells_is_mended_or_refused(changes: list[tuple[int, str, Any]]) -> None:
    notebook = copy.deepcopy(RELEASED)
    for place, key, value in changes:
        notebook["cells"][place][key] = value
    try:
        mended, _, _ = mend(read_notebook(json.dumps(notebook).encode()), EXAM)
    except NotANotebook:
        return
    graded = [
        cell.metadata.nbgrader.grade_id for cell in mended.cells if cell.metadata.get("nbgrader", {}).get("grade")
    ]
    assert len(graded) == len(EXAM.lab.checks)
    json.dumps(mended).encode("utf-8")


@settings(max_examples=100, deadline=None)
@given(VALUE)
def test_any_json_is_a_notebook_or_none(value: Any) -> None:
    with pytest.raises(NotANotebook):
        mend(read_notebook(json.dumps(value).encode()), EXAM)


@pytest.mark.parametrize("minor", [0, 2, 4])
def test_an_older_format_is_read_too(minor: int) -> None:
    notebook = copy.deepcopy(RELEASED)
    notebook["nbformat_minor"] = minor
    for cell in notebook["cells"]:
        del cell["id"]
    _, notes, is_tampered = mend(read_notebook(json.dumps(notebook).encode()), EXAM)
    assert not is_tampered
    assert notes == ()


def test_a_notebook_of_a_million_parts_is_refused_before_it_is_read() -> None:
    notebook = {**RELEASED, "metadata": {"parts": [{} for _ in range(1_000_000)]}}
    with pytest.raises(NotANotebook, match="too many parts"):
        read_notebook(json.dumps(notebook).encode())


def test_of_who_crashes_the_crash_is_told_first_and_not_what_came_of_it() -> None:
    notebook = submission(LAB1, MadeUp("dies", {"diff": "import os\nos._exit(1)"}, (), None))
    notebook.cells = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") != "replay"]
    result = grade_once(dump(notebook).encode(), EXAM, launch_process)
    assert result.status == "crashed"
    assert "cell replay was missing and was put back empty" in result.notes
    assert result.first_wrong == result.notes[0]
    assert result.first_wrong.startswith("cell diff: ")


def test_of_who_changed_a_check_that_is_told_first() -> None:
    notebook = submission(LAB1, MadeUp("edits", {"diff": "import os\nos._exit(1)"}, (), None))
    check = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade"))
    check.source = "print('20 of 20 points')"
    result = grade_once(dump(notebook).encode(), EXAM, launch_process)
    assert result.status == "tampered"
    assert (
        result.first_wrong == f"grading cell {check.metadata.nbgrader.grade_id} was changed; the released one was used"
    )


def test_what_the_stub_server_plays_is_part_of_a_labs_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Lab 2's marks depend on a planner's script: with another one, work is graded anew."""
    before = lab_version(COURSE, EXAM.lab)
    monkeypatch.setattr("grader.submission.FOLDER", shutil.copytree(FOLDER, tmp_path / "stub_server"))
    script = next((tmp_path / "stub_server" / "scripts").glob("*.json"))
    script.write_text(script.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert lab_version(COURSE, EXAM.lab) != before
