"""Every made-up student, on the real way from notebook to verdict, gets exactly what is due (spec 4)."""

from __future__ import annotations

from grader.generated import feedback_text
from grader.matrix import MUTANT, SOLUTION, STUB, VARIANT, Entry
from tests.matrix.field import each
from tests.solved import ROOT

LEAST_SHARE_NAMED = 0.95


@each(MUTANT)
def test_a_wrong_solution_loses_exactly_its_groups_and_is_told_its_mistake(entry: Entry) -> None:
    assert list(entry.faults()) == []


@each(VARIANT, SOLUTION)
def test_a_right_solution_has_full_marks_and_no_hint(entry: Entry) -> None:
    assert list(entry.faults()) == []
    assert entry.result.points == entry.entrant.lab.points


@each(STUB)
def test_an_untouched_notebook_earns_nothing(entry: Entry) -> None:
    assert list(entry.faults()) == []
    assert entry.result.points == 0


@each(MUTANT, STUB)
def test_the_feedback_is_the_golden_text(entry: Entry) -> None:
    golden = ROOT / "tests" / "golden" / entry.entrant.lab.id / f"{entry.entrant.student.name}.txt"
    assert feedback_text(entry) == golden.read_text(encoding="utf-8"), "admit-one check --write shows the difference"


def test_at_least_19_of_20_wrong_solutions_are_told_their_own_mistake_and_none_another(
    matrix: dict[str, Entry],
) -> None:
    told = {
        name: (entry.entrant.student.hint, entry.named)
        for name, entry in matrix.items()
        if entry.entrant.kind == MUTANT
    }
    assert sum(named[:1] == (own,) for own, named in told.values()) >= LEAST_SHARE_NAMED * len(told)
    assert [name for name, (own, named) in told.items() if set(named) - {own}] == []
