"""Two mistakes in one notebook cost what each costs alone, and never less (spec 4)."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from grader.launch import Launch
from grader.made_up import MadeUp, fill
from grader.matrix import MUTANT, Entrant, Entry, grade_entrants
from tests.matrix.field import FIELD
from tests.solved import ROOT
from workshop.lab import Lab, all_labs

PAIRS_A_LAB = 8
"""At most: a small lab may have fewer."""


def pairs(lab: Lab) -> list[tuple[Entrant, Entrant]]:
    """A sample, the same every time, of wrong solutions that change different cells."""
    mutants = [one for one in FIELD if one.lab.id == lab.id and one.kind == MUTANT]
    apart = [two for two in combinations(mutants, 2) if not set(two[0].student.cells) & set(two[1].student.cells)]
    return random.Random(lab.number).sample(apart, min(PAIRS_A_LAB, len(apart)))


def both(one: Entrant, other: Entrant) -> Entrant:
    name = f"{one.student.name}+{other.student.name}"
    loses = tuple(dict.fromkeys((*one.student.loses, *other.student.loses)))
    student = MadeUp(name, {**one.student.cells, **other.student.cells}, loses, None)
    return Entrant(one.lab, MUTANT, student, fill(one.notebook, other.student.cells))


@pytest.mark.parametrize("lab", [pytest.param(lab, id=lab.prefix) for lab in all_labs(ROOT)])
def test_two_mistakes_lose_both_ones_groups_and_no_other_and_never_raise_the_marks(
    lab: Lab, launch: Launch, matrix: dict[str, Entry]
) -> None:
    chosen = pairs(lab)
    entries = grade_entrants(ROOT, [both(*pair) for pair in chosen], launch, workers=2)

    for entry, pair in zip(entries, chosen, strict=True):
        alone = [matrix[one.name].result.points for one in pair]
        assert list(entry.faults()) == [], entry.entrant.student.name
        assert entry.result.points is not None
        assert entry.result.points <= min(points for points in alone if points is not None)
        assert set(entry.named) <= {one.student.hint for one in pair}, entry.entrant.student.name
        assert entry.named, entry.entrant.student.name
