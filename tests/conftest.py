"""What tests of grading share: a launcher for student code, sandboxed as in real grading."""

from __future__ import annotations

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
