"""All entrants of the matrix: every stub, solution, wrong and right solution of every lab."""

from __future__ import annotations

import pytest

from grader.matrix import entrants
from tests.solved import ROOT
from workshop.lab import all_labs

FIELD = [entrant for lab in all_labs(ROOT) for entrant in entrants(ROOT, lab)]


def each(*kinds: str) -> pytest.MarkDecorator:
    """Run a test for each entrant of these kinds."""
    chosen = [entrant for entrant in FIELD if entrant.kind in kinds]
    return pytest.mark.parametrize("entrant", [pytest.param(one, id=one.name.replace(" ", "-")) for one in chosen])
