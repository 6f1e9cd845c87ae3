"""What tests share: a launcher for student code, sandboxed as in real grading, and chance that can be had again."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator

import pytest

from grader.launch import Launch
from grader.sandbox import sandboxes
from tests.solved import ROOT


@pytest.fixture(scope="session")
def launch() -> Iterator[Launch]:
    """Sandboxes as grading uses them. A machine without bubblewrap skips, which CI does not forgive (conftest.py)."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is missing: apt install bubblewrap")
    with sandboxes(ROOT) as launcher:
        yield launcher


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """The same in each run; ADMIT_ONE_SEED gives another. A test that fails shows which it had."""
    seed = os.environ.get("ADMIT_ONE_SEED", "1")
    request.node.add_report_section("setup", "chance", f"ADMIT_ONE_SEED={seed}")
    return random.Random(seed)
