"""A made-up lab of two blocks; its words would be markup if anybody let them."""

from __future__ import annotations

from pathlib import Path

import pytest

from workshop.lab import Lab

LAB_TOML = """
id = "lab9_made_up"
number = 9
title = "Up & down"
summary = "One line."
packet = "half of it </script><b>now</b>"
[[block]]
id = "first"
title = "First \\"half\\""
minutes = 12
outcome = "say what this block was for"
[[block]]
id = "second"
title = "Second half"
minutes = 22
outcome = "say what this block was for"
[[check]]
id = "lab9.check"
block = "first"
title = "A check"
called = "It was called"
[[check.group]]
id = "group"
title = "A group"
points = 20
"""


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """The lab, its data in ``data`` below ``tmp_path``, as in a student's folder."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lab.toml").write_text(LAB_TOML)
    return Lab.find("lab9", beside=tmp_path)
