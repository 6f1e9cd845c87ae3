"""Where two answers differ first: its place in words, and a cut of each text that shows it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

BEFORE, MARKED, AFTER = 32, 40, 32  # characters kept of a long text
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s\[\]{},:"]+|.', re.DOTALL)


@dataclass(frozen=True)
class Cut:
    """A text around its first difference; ``marked`` is empty where nothing differs."""

    before: str
    marked: str
    after: str


def as_text(value: object) -> str:
    """A JSON value on one line with its keys sorted, so that two values can be compared by eye."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def shorten(text: str) -> str:
    """``text``, cut at its end where it is long."""
    room = BEFORE + MARKED + AFTER
    return text if len(text) <= room else text[: room - 1] + "…"


def cut(text: str, other: str) -> Cut:
    """``text`` around the first token that differs from ``other``, cut on both sides where it is long."""
    at = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), None)
    if at is None:
        if len(text) == len(other):
            return Cut(shorten(text), "", "")
        at = min(len(text), len(other))
    start, end = _token(text, at)
    if end - start > MARKED:
        start, end = max(start, at - MARKED // 4), min(end, at + MARKED)
    before, after = text[:start], text[end:]
    if len(before) > BEFORE:
        before = "…" + before[1 - BEFORE :]
    if len(after) > AFTER:
        after = after[: AFTER - 1] + "…"
    return Cut(before, text[start:end], after)


def _token(text: str, at: int) -> tuple[int, int]:
    last = (0, 0)
    for match in TOKEN.finditer(text):
        last = match.span()
        if match.end() > at:
            break
    return last


def place(expected: str, got: str) -> str:
    """Where two JSON texts differ first, such as ``item 5, reason``; empty where there is no saying."""
    try:
        return ", ".join(_steps(json.loads(expected), json.loads(got)))
    except (ValueError, RecursionError):
        return ""


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
            return [f"{len(expected)} items expected, {len(got)} given"]
    return []
