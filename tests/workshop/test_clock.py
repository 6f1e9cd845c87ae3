"""The timing board without a script: a table, the same bytes every time, nothing from the lab as markup."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from workshop.clock import board
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
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lab.toml").write_text(LAB_TOML)
    return Lab.find("lab9", beside=tmp_path)


def test_the_text_tells_when_each_block_starts_and_ends(lab: Lab) -> None:
    assert board(lab).text.splitlines() == [
        "Lab 9: Up & down, 34 minutes",
        '    0 to  12  First "half"',
        "   12 to  34  Second half",
        "If time is short: half of it </script><b>now</b>",
    ]


def test_the_table_is_there_without_the_script(lab: Lab) -> None:
    shown = board(lab).html
    assert "<caption>Lab 9: Up &amp; down, 34 minutes</caption>" in shown
    assert '<th scope="row">Second half</th><td>22</td><td>12 to 34</td>' in shown


def test_the_lab_cannot_close_the_script_or_add_markup(lab: Lab) -> None:
    shown = board(lab).html
    assert shown.count("</script>") == 1
    assert "<b>" not in shown


def test_the_script_gets_the_blocks_as_data(lab: Lab) -> None:
    found = re.search(r'data-ao-board="([^"]*)"', board(lab).html)
    assert found
    config = json.loads(unescape(found[1]))
    assert config["lab"] == "lab9_made_up"
    assert [block["minutes"] for block in config["blocks"]] == [12, 22]


def test_two_boards_of_a_lab_are_the_same_bytes(lab: Lab) -> None:
    assert board(lab) == board(lab)
