"""Every wrong solution loses exactly its groups and is told its mistake; every right one has full marks (spec 4)."""

from __future__ import annotations

import pytest

from grader.diagnose import diagnose
from grader.made_up import MadeUp
from tests.solved import ROOT
from tests.submissions import groups_lost, judged_here, made_up
from workshop.lab import Lab, all_labs


def students(kind: str) -> list[object]:
    """A parameter for each made-up student of ``kind``: the lab and the student."""
    return [
        pytest.param(lab, student, id=f"{lab.prefix}-{student.name}")
        for lab in all_labs(ROOT)
        for student in made_up(kind, lab.id)
    ]


@pytest.mark.parametrize(("lab", "student"), students("mutants"))
def test_a_wrong_solution_loses_its_own_groups_and_hears_its_own_hint(lab: Lab, student: MadeUp) -> None:
    verdicts = judged_here(lab.id, student)
    hints = {hint.id for verdict in verdicts.values() if (hint := diagnose(verdict.cases, lab))}

    assert groups_lost(verdicts) == set(student.loses)
    assert hints == {student.hint}


@pytest.mark.parametrize(("lab", "student"), students("variants"))
def test_a_right_solution_in_another_style_has_full_marks(lab: Lab, student: MadeUp) -> None:
    assert groups_lost(judged_here(lab.id, student)) == set()


@pytest.mark.parametrize("lab", [pytest.param(lab, id=lab.prefix) for lab in all_labs(ROOT)])
def test_a_lab_has_at_least_five_right_solutions(lab: Lab) -> None:
    assert len(made_up("variants", lab.id)) >= 5
