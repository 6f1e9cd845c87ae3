"""Where a decision list first goes wrong: the decision that was due, and the one that came (spec 5, class report)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from itertools import zip_longest
from typing import Any

from grader.judge import is_same
from workshop.difference import as_text, shorten

_BETWEEN = " or "
"""What feedback writes between the answers that are right."""
_NOTHING = object()


def first_denial(expected: str, got: str, decisions: Collection[str]) -> tuple[str, str] | None:
    """The first two decisions that differ, as (due, came).

    ``expected`` and ``got`` are the texts of a wrong case in a verdict, ``decisions`` the lab's words. None where no
    decision differs, and where a text is no answer: a sentence (the code raised), or an answer that was cut.
    """
    try:
        answer = json.loads(got)
        accepted = list(_parse_all(expected))
    except ValueError:
        return None
    pairs = [next(_differing(value, answer, decisions), None) for value in accepted]
    if None in pairs:
        return None
    due = _BETWEEN.join(dict.fromkeys(_told(pair[0]) for pair in pairs if pair))
    return due, _told(pairs[0][1]) if pairs[0] else ""


def _parse_all(text: str) -> Iterator[Any]:
    decoder, at = json.JSONDecoder(), 0
    while True:
        value, at = decoder.raw_decode(text, at)
        yield value
        if at == len(text):
            return
        if not text.startswith(_BETWEEN, at):
            raise ValueError("not a list of answers")
        at += len(_BETWEEN)


def _differing(expected: Any, got: Any, decisions: Collection[str]) -> Iterator[tuple[Any, Any]]:
    """The pairs that differ, of which one at least is a decision, in the order in which feedback shows them."""
    if isinstance(expected, dict | list) and got is _NOTHING:
        got = type(expected)()
    if isinstance(got, dict | list) and expected is _NOTHING:
        expected = type(got)()
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted({*expected, *got}):
            yield from _differing(expected.get(key, _NOTHING), got.get(key, _NOTHING), decisions)
    elif isinstance(expected, list) and isinstance(got, list):
        for one, other in zip_longest(expected, got, fillvalue=_NOTHING):
            yield from _differing(one, other, decisions)
    elif not is_same(expected, got) and any(isinstance(one, str) and one in decisions for one in (expected, got)):
        yield expected, got


def _told(value: Any) -> str:
    if value is _NOTHING:
        return "nothing"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return shorten(value if isinstance(value, str) else as_text(value))
