"""Names the misconception that best explains which cases failed."""

from __future__ import annotations

from collections.abc import Sequence

from grader.judge import CaseVerdict
from workshop.lab import Lab, Misconception


def diagnose(verdicts: Sequence[CaseVerdict], lab: Lab) -> Misconception | None:
    """The misconception of which the largest share of cases failed; among equals, the one that failed first.

    None where everything is right, where no failed case names one, and where the code gave no answer at all (it is
    not filled in, or a name is missing): then there is nothing to tell a misconception by.
    """
    if not any(verdict.is_right or verdict.has_answer for verdict in verdicts):
        return None
    best: tuple[float, Misconception] | None = None
    for verdict in verdicts:
        name = verdict.case.exposes
        if verdict.is_right or name is None:
            continue
        exposing = [other for other in verdicts if other.case.exposes == name]
        share = sum(not other.is_right for other in exposing) / len(exposing)
        if best is None or share > best[0]:
            best = (share, lab.misconceptions[name])
    return best[1] if best else None
