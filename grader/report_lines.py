"""One student's line in the class report: the figures of the heat map, and the evidence that each leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.class_results import Standing
from grader.feedback import CheckReport, GroupReport
from workshop.lab import Lab


@dataclass(frozen=True)
class Figure:
    """A figure of the heat map: ``level`` is one of ``level`` below, or unknown where nothing was judged."""

    text: str
    level: str
    anchor: str


@dataclass(frozen=True)
class Right:
    """Groups that are all right: their titles or their check's, how many cases they have, and their points."""

    titles: tuple[str, ...]
    cases: int
    points: int


@dataclass(frozen=True)
class Evidence:
    """What one check gave: each group that is not right, and how much the others hold; the hint that was given.

    ``groups`` are pairs of a place on the page and a report. ``anchor`` is where the check's evidence begins.
    """

    report: CheckReport
    anchor: str
    groups: tuple[tuple[str, GroupReport], ...]
    right: Right

    @property
    def is_untouched(self) -> bool:
        """Nothing of the check is filled in, so that feedback compares nothing: there is one row then."""
        return _is_untouched(self.report)

    @property
    def cases(self) -> int:
        return sum(group.cases for group in self.report.groups)

    @property
    def rows(self) -> int:
        """How many rows the check has on the page."""
        return len(self.groups) + bool(self.right.titles) + bool(self.report.hint)


@dataclass(frozen=True)
class Line:
    """A student's line in a lab: figures in the order of the lab's checks, the evidence, and why to look at it."""

    standing: Standing
    label: str
    anchor: str
    figures: tuple[Figure, ...]
    total: Figure
    evidence: tuple[Evidence, ...]
    right: Right
    why: str

    @property
    def handed_in(self) -> str:
        """In this machine's zone."""
        when = self.standing.handed_in
        return f"{when.astimezone():%Y-%m-%d %H:%M}" if when else ""


def show_line(lab: Lab, number: int, one: Standing) -> Line:
    """The line of student ``number`` of the class, which names its places on the page."""
    anchor = f"e{lab.number}-{number}"
    evidence = {
        check.id: _evidence(one.checks[check.id], f"{anchor}-{place}", if_right=f"{anchor}-right")
        for place, check in enumerate(lab.checks)
        if check.id in one.checks
    }
    figures = [
        _figure(one.checks[check.id].points, check.points, evidence[check.id].anchor)
        if check.id in one.checks
        else Figure("–", "unknown", anchor)
        for check in lab.checks
    ]
    return Line(
        standing=one,
        label=f"{one.name} ({one.student})" if one.name else one.student,
        anchor=anchor,
        figures=tuple(figures),
        total=Figure("–", "unknown", anchor) if one.points is None else _figure(one.points, lab.points, anchor),
        evidence=tuple(evidence.values()),
        right=_sum_up([one for one in evidence.values() if not one.groups]),
        why=_why(one),
    )


def _why(one: Standing) -> str:
    """Why a person should look at it; empty where nobody need."""
    why = one.mark.needs_a_look
    return "; ".join([why, *one.notes]) if why and one.points is None else why


def _figure(points: int, most: int, anchor: str) -> Figure:
    return Figure(f"{points}/{most}", level(points, most), anchor)


def level(have: int, most: int) -> str:
    """How much of ``most`` there is: full, most (three quarters or more), part (half or more), low, none."""
    if have == most:
        return "full"
    return "none" if not have else "most" if 4 * have >= 3 * most else "part" if 2 * have >= most else "low"


def _evidence(report: CheckReport, anchor: str, if_right: str) -> Evidence:
    wrong = tuple(
        (anchor if _is_untouched(report) else f"{anchor}-{place}", group)
        for place, group in enumerate(report.groups)
        if not group.is_right
    )
    right = [group for group in report.groups if group.is_right]
    held = Right(
        tuple(group.title for group in right),
        sum(group.cases for group in right),
        sum(group.points for group in right),
    )
    return Evidence(report, wrong[0][0] if wrong else if_right, wrong, held)


def _is_untouched(report: CheckReport) -> bool:
    return not any(group.is_right or group.wrong for group in report.groups)


def _sum_up(checks: Sequence[Evidence]) -> Right:
    """The checks that are all right in one."""
    return Right(
        tuple(one.report.title for one in checks),
        sum(one.right.cases for one in checks),
        sum(one.right.points for one in checks),
    )
