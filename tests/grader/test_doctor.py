"""What admit-one doctor looks at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.doctor import examine
from tests.solved import ROOT

TOML = "fixtures/lab4_stamp_card/lab.toml"


def test_a_program_that_a_lab_names_is_looked_for_and_nobody_needs_it(tmp_path: Path) -> None:
    (tmp_path / TOML).parent.mkdir(parents=True)
    (tmp_path / "permits").mkdir()
    named = (ROOT / TOML).read_text(encoding="utf-8").replace("curl =", "no-such-program =")
    (tmp_path / TOML).write_text(named, encoding="utf-8")
    [found] = [finding for finding in examine(tmp_path) if finding.what == "no-such-program"]
    assert (found.is_well, found.is_needed) == (False, False)
    assert found.detail == "the drills as commands: not found"
    assert found.remedy == "apt install no-such-program"


def test_without_a_sandbox_doctor_says_that_grading_needs_one(
    course: Course, admit_one: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    _, said, _ = admit_one(course, "doctor")
    assert "needed for" in said
    told = json.loads(admit_one(course, "doctor", "--json")[1])
    assert [one["else_called"] for one in told if one["what"] == "sandbox"] == ["needed for grading"]
