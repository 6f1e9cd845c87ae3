"""How far a mistake is known by the pattern of what fails, measured on wrong solutions it was not taught by."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.diagnose import CLOSE_ENOUGH, KnownMistakes, Pattern, name_mistake, read_patterns
from tests.solved import ROOT
from workshop.lab import all_labs

A, B, C = frozenset("abcdefghij"), frozenset("xyz"), frozenset("abc")
KNOWN: KnownMistakes = {"first": [A], "second": [B], "third": [C]}


@pytest.mark.parametrize(
    ("failed", "named"),
    [
        pytest.param(A, "first", id="the very pattern"),
        pytest.param(A - {"a"}, "first", id="all but one of its cases"),
        pytest.param(A - {"a", "b", "c"}, None, id="too few of its cases"),
        pytest.param(A | B, "first", id="two mistakes: the one that shows more"),
        pytest.param(A | {"k", "l", "m", "n"}, None, id="more than two known mistakes explain"),
        pytest.param(frozenset("q"), None, id="something else"),
    ],
)
def test_a_mistake_is_named_by_its_pattern_or_not_at_all(failed: Pattern, named: str | None) -> None:
    assert name_mistake(failed, KNOWN) == named


def test_two_mistakes_with_one_pattern_are_not_guessed_between() -> None:
    assert name_mistake(B, {"one": [B], "other": [B]}) is None


def tables() -> Iterator[object]:
    """The patterns of each check, as grading reads them (all cases) and as a notebook does (public ones)."""
    for lab in all_labs(ROOT):
        for file in (f"solutions/{lab.id}/hidden_patterns.json", f"fixtures/{lab.id}/patterns.json"):
            for check_id, known in read_patterns(ROOT / file).items():
                yield pytest.param(known, id=f"{check_id}-{file.partition('/')[0]}")


@pytest.mark.parametrize("known", list(tables()))
def test_a_mistake_that_nobody_taught_is_not_taken_for_another(known: KnownMistakes) -> None:
    for name, patterns in known.items():
        others = {other: rows for other, rows in known.items() if other != name}
        for pattern in patterns:
            if not any(pattern in rows for rows in others.values()):
                assert name_mistake(pattern, others) is None, name


def test_the_bar_stands_between_the_same_mistake_made_otherwise_and_another_mistake() -> None:
    """The widest gap that the wrong solutions of all labs leave: nearest other mistake, nearest of the same."""
    overlaps = {True: [0.0], False: [0.0]}
    for lab in all_labs(ROOT):
        for known in read_patterns(ROOT / "solutions" / lab.id / "hidden_patterns.json").values():
            rows = [(name, pattern) for name, patterns in known.items() for pattern in patterns]
            for place, (name, pattern) in enumerate(rows):
                for other, another in rows[:place]:
                    overlaps[name == other].append(len(pattern & another) / len(pattern | another))
    assert max(overlaps[False]) < CLOSE_ENOUGH
