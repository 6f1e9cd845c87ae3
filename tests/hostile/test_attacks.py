"""Attacks that pass elsewhere earn nothing here."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from grader.course import Course
from grader.launch import Launch
from grader.made_up import fill
from grader.solved import dump
from grader.submission import grade_submission, read_course_lab
from tests.hostile.attacks import ATTACKS, Attack
from tests.solved import ROOT

COURSE = Course(ROOT)


def hand_in(attack: Attack) -> Any:
    released = nbformat.read(ROOT / "notebooks" / attack.lab_id / f"{attack.lab_id}.ipynb", as_version=4)
    notebook = fill(released, attack.cells)
    if attack.first:
        notebook.cells.insert(0, new_code_cell(attack.first, id="own"))
    return notebook


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_earns_nothing(attack: Attack, launch: Launch) -> None:
    lab = read_course_lab(COURSE, attack.lab_id)
    result = grade_submission(dump(hand_in(attack)).encode(), COURSE, lab, launch)
    assert result.points == 0
    assert result.status == attack.status
