"""The matrix, graded once for all tests here: every stub, solution, wrong and right solution of every lab."""

from __future__ import annotations

import pytest

from grader.launch import Launch
from grader.matrix import Entrant, Entry, entrants, grade_entrants
from tests.solved import ROOT
from workshop.lab import all_labs

FIELD = [entrant for lab in all_labs(ROOT) for entrant in entrants(ROOT, lab)]


def each(*kinds: str) -> pytest.MarkDecorator:
    """Run a test for each entrant of these kinds."""
    chosen = [entrant for entrant in FIELD if entrant.kind in kinds]
    return pytest.mark.parametrize("entrant", [pytest.param(one, id=one.name.replace(" ", "-")) for one in chosen])


@pytest.fixture(scope="session")
def matrix(launch: Launch) -> dict[str, Entry]:
    """The entries by the entrants' names, two graded at a time."""
    return {entry.entrant.name: entry for entry in grade_entrants(ROOT, FIELD, launch, workers=2)}


@pytest.fixture
def entry(entrant: Entrant, matrix: dict[str, Entry]) -> Entry:
    return matrix[entrant.name]
