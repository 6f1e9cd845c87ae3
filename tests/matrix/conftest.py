"""The matrix, graded once for all tests here."""

from __future__ import annotations

import pytest

from grader.launch import Launch
from grader.matrix import Entrant, Entry, grade_entrants
from tests.matrix.field import FIELD
from tests.solved import ROOT


@pytest.fixture(scope="session")
def matrix(launch: Launch) -> dict[str, Entry]:
    """The entries by the entrants' names, two graded at a time."""
    return {entry.entrant.name: entry for entry in grade_entrants(ROOT, FIELD, launch, workers=2)}


@pytest.fixture
def entry(entrant: Entrant, matrix: dict[str, Entry]) -> Entry:
    return matrix[entrant.name]
