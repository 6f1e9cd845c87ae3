"""Names that mean something else for a while mean afterwards what they did, whatever a student's code did to them."""

from __future__ import annotations

from typing import Any

import pytest

from grader.drivers.stand_ins import stand_ins


def test_names_come_back_and_new_ones_go() -> None:
    one: dict[str, Any] = {"kept": 1}
    two: dict[str, Any] = {"sleep": "real"}
    with stand_ins((one, {"kept": 2, "new": 3}), (two, {"sleep": "fake"})):
        assert (one, two) == ({"kept": 2, "new": 3}, {"sleep": "fake"})
        del one["new"]
    assert (one, two) == ({"kept": 1}, {"sleep": "real"})


def test_names_come_back_after_an_exception() -> None:
    names: dict[str, Any] = {}
    with pytest.raises(ZeroDivisionError), stand_ins((names, {"new": 3})):
        _ = 1 // 0
    assert names == {}
