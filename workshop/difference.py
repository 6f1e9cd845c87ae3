"""Where two answers differ first: its place in words, and a cut of each text that shows it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

BEFORE, MARKED, AFTER = 36, 44, 36  # characters kept of a long text around its difference; spare ones go behind it
ROOM = BEFORE + MARKED + AFTER
ALIKE = 60  # characters kept of a long text that needs no comparing
SENTENCE = 400  # and of what was raised, which ends with the line it came from
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s\[\]{},:"]+|.', re.DOTALL)


@dataclass(frozen=True)
class Cut:
    """A text around its first difference."""

    before: str
    marked: str
    after: str


@dataclass(frozen=True)
class Difference:
    """Both texts cut where they differ first, and that place, such as ``item 5 › reason`` ("" if none)."""

    expected: Cut
    got: Cut
    place: str


def as_text(value: object) -> str:
    """A JSON value on one line with its keys sorted, so that two values can be compared by eye."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def shorten(text: str, room: int = ALIKE) -> str:
    """``text``, cut at its end where it is longer than ``room`` characters."""
    return text if len(text) <= room else text[: room - 1] + "…"


def difference(expected: str, got: str) -> Difference:
    """Compare two JSON texts. Where one is no JSON (a sentence, an exception) all of ``got`` is marked."""
    if expected == got:  # wrong for another reason than its value
        same = Cut(shorten(expected), "", "")
        return Difference(same, same, "")
    try:
        place = " › ".join(_steps(json.loads(expected), json.loads(got)))
    except (ValueError, RecursionError):
        return Difference(Cut(shorten(expected, ROOM), "", ""), Cut("", shorten(got, SENTENCE), ""), "")
    return Difference(_cut(expected, got), _cut(got, expected), place)


def _cut(text: str, other: str) -> Cut:
    differing = (i for i, (mine, theirs) in enumerate(zip(text, other, strict=False)) if mine != theirs)
    at = next(differing, min(len(text), len(other)))
    start, end = _token(text, at)
    if end - start > MARKED:
        start, end = max(start, at - MARKED // 4), min(end, at + MARKED)
    before, marked, after = text[:start], text[start:end], text[end:]
    room = ROOM - min(len(before), BEFORE) - len(marked)
    if len(before) > BEFORE:  # from a gap between two tokens on, if there is one
        before = "…" + re.sub(r"^\S* (?=.)", "", before[1 - BEFORE :], count=1)
    return Cut(before, marked, shorten(after, room))


def _token(text: str, at: int) -> tuple[int, int]:
    """The span of the token of ``text`` that holds position ``at``, or of its last one."""
    span = (0, 0)
    for match in TOKEN.finditer(text):
        span = match.span()
        if match.end() > at:
            break
    return span


def _steps(expected: Any, got: Any) -> list[str]:
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted({*expected, *got}):
            if key not in got:
                return [f"{key} is missing"]
            if key not in expected:
                return [f"{key} is not expected"]
            if as_text(expected[key]) != as_text(got[key]):
                return [key, *_steps(expected[key], got[key])]
    if isinstance(expected, list) and isinstance(got, list):
        for number, (left, right) in enumerate(zip(expected, got, strict=False), 1):
            if as_text(left) != as_text(right):
                return [f"item {number}", *_steps(left, right)]
        if len(expected) != len(got):
            return [f"{len(expected)} {'item' if len(expected) == 1 else 'items'} expected, {len(got)} given"]
    return []
