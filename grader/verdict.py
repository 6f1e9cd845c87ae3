"""A check's verdict: its cases judged, and the points that follow, group by group."""

from __future__ import annotations

from dataclasses import dataclass

from grader.judge import CaseVerdict
from workshop.lab import Check, Group


@dataclass(frozen=True)
class CheckVerdict:
    """One check, judged case by case."""

    check: Check
    cases: tuple[CaseVerdict, ...]

    @property
    def passed(self) -> int:
        return sum(case.is_right for case in self.cases)

    @property
    def points(self) -> int:
        return sum(group.points for group in self.check.groups if self.has_earned(group))

    @property
    def first_wrong(self) -> CaseVerdict | None:
        return next((case for case in self.cases if not case.is_right), None)

    def of_group(self, group: Group) -> tuple[CaseVerdict, ...]:
        return tuple(case for case in self.cases if case.case.group == group.id)

    def has_earned(self, group: Group) -> bool:
        """All cases of the group are right, and there is at least one: no evidence, no points."""
        cases = self.of_group(group)
        return bool(cases) and all(case.is_right for case in cases)
