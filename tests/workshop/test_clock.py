"""The timing board without a script: a table, the same bytes every time, nothing from the lab as markup."""

from __future__ import annotations

import json
import re
from html import unescape

from workshop.clock import board
from workshop.lab import Lab


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
