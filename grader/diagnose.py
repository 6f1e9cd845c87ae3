"""Names the misconception that explains which cases failed, or none where that would be a guess.

What each wrong solution of tests/mutants fails is recorded (patterns.json, written by ``admit-one check --write``).
A student's failing cases are held against those patterns: a mistake is named from all of them, not from the first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from grader.judge import NOT_FILLED_IN, CaseVerdict
from workshop.lab import Lab

PATTERNS_FILE = "patterns.json"
HIDDEN_PATTERNS_FILE = "hidden_patterns.json"
SOMETHING_ELSE = (
    "No one usual mistake explains this. Take the first wrong case and follow it through your code, line by line."
)

NOTHING_YET = "A cell that this check needs is not filled in yet."

CLOSE_ENOUGH = 0.8
"""The least share of common failing cases that names a mistake; tests/matrix/test_diagnose.py measures it."""

Pattern = frozenset[str]
KnownMistakes = Mapping[str, Sequence[Pattern]]
"""By misconception: the ids of the cases that fail, one set for each known way to make the mistake."""


@dataclass(frozen=True)
class Diagnosis:
    """What to tell about a check that is not all right. ``misconception`` is None where no mistake is named."""

    misconception: str | None
    title: str
    hint: str


NOTHING_TO_SAY = Diagnosis(None, "", "")


def read_patterns(path: Path) -> dict[str, KnownMistakes]:
    """The recorded patterns by check id, or none where there is no such file: then no mistake is named."""
    if not path.is_file():
        return {}
    table = json.loads(path.read_text(encoding="utf-8"))
    return {
        check_id: {name: [frozenset(pattern) for pattern in known] for name, known in rows.items()}
        for check_id, rows in table.items()
    }


def diagnose(verdicts: Sequence[CaseVerdict], lab: Lab, known: KnownMistakes) -> Diagnosis:
    """What explains ``verdicts``, the cases of one check.

    Nothing is said where all is right, nor where the code answered no case at all (a name is missing, it always
    raises): what it raised says more than any pattern.
    """
    failed = frozenset(verdict.case.id for verdict in verdicts if not verdict.is_right)
    if is_untouched(verdicts):
        return Diagnosis(None, "", NOTHING_YET)
    if not failed or not any(verdict.is_right or verdict.has_answer for verdict in verdicts):
        return NOTHING_TO_SAY
    name = name_mistake(failed, known)
    if name is None:
        return Diagnosis(None, "", SOMETHING_ELSE)
    misconception = lab.misconceptions[name]
    return Diagnosis(name, misconception.title, misconception.hint)


def is_untouched(verdicts: Sequence[CaseVerdict]) -> bool:
    """Whatever is wrong ran into a cell that is not filled in; a case or two may be right by the part that is given."""
    problems = {verdict.problem for verdict in verdicts if not verdict.is_right}
    return problems == {NOT_FILLED_IN}


def name_mistake(failed: Pattern, known: KnownMistakes) -> str | None:
    """The one misconception whose pattern is ``failed`` or close to it; of two that together make it up, the larger.

    None where no pattern is close enough, and where two misconceptions fit equally well.
    """
    patterns = [(pattern, name) for name, rows in known.items() for pattern in rows if pattern]
    best = max((_overlap(failed, pattern) for pattern, _ in patterns), default=0.0)
    if best >= CLOSE_ENOUGH:
        names = {name for pattern, name in patterns if _overlap(failed, pattern) == best}
        return names.pop() if len(names) == 1 else None
    contained = [(pattern, name) for pattern, name in patterns if pattern < failed]
    pairs = [
        max(one, other, key=lambda it: (len(it[0]), it[1]))
        for one, other in combinations(contained, 2)
        if one[1] != other[1] and one[0] | other[0] == failed
    ]
    return max(pairs, key=lambda it: (len(it[0]), it[1]))[1] if pairs else None


def _overlap(one: Pattern, other: Pattern) -> float:
    """The share of cases that fail in both, of those that fail in either."""
    return len(one & other) / len(one | other)
