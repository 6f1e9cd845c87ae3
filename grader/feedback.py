"""What a verdict looks like to a reader: in the graded notebook, on a feedback page, in one line (spec 4, feedback)."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass

from grader.diagnose import KnownMistakes, diagnose, is_untouched
from grader.grading import Graded
from grader.judge import CaseVerdict
from grader.status import STATUSES
from grader.verdict import CheckVerdict
from workshop.difference import Cut, as_text, difference, shorten
from workshop.lab import Group, Lab

LONGEST_KEPT = 2000
"""Characters of an answer that a verdict keeps."""
LONGEST_READ = 120
"""Characters that a reader compares by eye: of longer answers a page shows where they differ first."""


@dataclass(frozen=True)
class WrongCase:
    """The first wrong case of a group: a sentence that says what was called and with what, and both answers as JSON.

    ``got`` is in words where no answer came. Of a hidden case the kind is told, never a value: ``expected`` is empty.
    """

    called: str
    expected: str
    got: str

    @property
    def shown(self) -> tuple[str, str]:
        """Both answers for a reader, cut around their first difference where one is long."""
        if max(len(self.expected), len(self.got)) <= LONGEST_READ:
            return self.expected, self.got
        found = difference(self.expected, self.got)
        place = f" (first difference: {found.place})" if found.place else ""
        return _joined(found.expected), _joined(found.got) + place


@dataclass(frozen=True)
class GroupReport:
    """A group's points, how many of its cases are right, and its first wrong case, a public one where there is one.

    ``wrong`` is None where all is right, and where nothing of the check is filled in: there is nothing to compare.
    """

    id: str
    title: str
    points: int
    max_points: int
    right: int
    cases: int
    wrong: WrongCase | None

    @property
    def is_right(self) -> bool:
        return self.right == self.cases > 0


@dataclass(frozen=True)
class CheckReport:
    """A check's verdict for readers and scripts. ``wrong_cases`` holds ids, of hidden cases too: no page shows them."""

    check_id: str
    title: str
    points: int
    max_points: int
    misconception: str | None
    hint: str
    first_wrong: str
    wrong_cases: tuple[str, ...]
    groups: tuple[GroupReport, ...]


def report_checks(graded: Graded, lab: Lab, patterns: Mapping[str, KnownMistakes]) -> dict[str, CheckReport]:
    """A report for each grading cell, by grade_id, in the notebook's order; ``patterns`` tells mistakes apart."""
    return {
        grade_id: _report(verdict, lab, patterns.get(verdict.check.id, {}))
        for grade_id, verdict in graded.verdicts.items()
    }


def _report(verdict: CheckVerdict, lab: Lab, known: KnownMistakes) -> CheckReport:
    diagnosis = diagnose(verdict.cases, lab, known)
    wrong = verdict.first_wrong
    first_wrong = f"{verdict.check.title}: {_problem(wrong)}" if wrong else ""
    return CheckReport(
        check_id=verdict.check.id,
        title=verdict.check.title,
        points=verdict.points,
        max_points=verdict.check.points,
        misconception=diagnosis.misconception,
        hint=diagnosis.hint,
        first_wrong=diagnosis.title or first_wrong,
        wrong_cases=tuple(case.case.id for case in verdict.cases if not case.is_right),
        groups=tuple(_group_report(verdict, group) for group in verdict.check.groups),
    )


def _group_report(verdict: CheckVerdict, group: Group) -> GroupReport:
    cases = verdict.of_group(group)
    wrong = None if is_untouched(verdict.cases) else next((case for case in cases if not case.is_right), None)
    return GroupReport(
        id=group.id,
        title=group.title,
        points=group.points if verdict.has_earned(group) else 0,
        max_points=group.points,
        right=sum(case.is_right for case in cases),
        cases=len(cases),
        wrong=_wrong_case(wrong, wrong.case.called or verdict.check.called) if wrong else None,
    )


def _wrong_case(wrong: CaseVerdict, called: str) -> WrongCase:
    if wrong.case.is_hidden:
        return WrongCase(f"{called} for a case of this kind that is not shown.", "", _problem(wrong))
    sentence = f"{called} for the case “{wrong.case.what}”."
    expected = " or ".join(as_text(value) for value in wrong.expected)
    got = as_text(wrong.got) if wrong.problem == "differs" else wrong.problem
    return WrongCase(sentence, shorten(expected, LONGEST_KEPT), shorten(got, LONGEST_KEPT))


def _problem(verdict: CaseVerdict) -> str:
    """In words what is wrong with an answer, without a value."""
    return "another answer than expected" if verdict.problem == "differs" else verdict.problem


def _joined(cut: Cut) -> str:
    return f"{cut.before}{cut.marked}{cut.after}"


def as_plain(report: CheckReport) -> str:
    """The report as text: points, then each group with its first wrong case, then one hint."""
    lines = [_head(report)]
    for group in report.groups:
        lines.append(_group_line(group))
        if group.wrong:
            lines.append(f"    {group.wrong.called}")
            expected, got = group.wrong.shown
            if expected:
                lines.append(f"      expected: {expected}")
            lines.append(f"      got:      {got}")
    if report.hint:
        lines.append(f"Hint: {report.hint}")
    return "\n".join(lines)


def as_html(report: CheckReport) -> str:
    """The same as escaped HTML, in the few tags that nbconvert's sanitiser lets through."""
    items = []
    for group in report.groups:
        inner = ""
        if group.wrong:
            expected, got = group.wrong.shown
            wrong = [html.escape(group.wrong.called)]
            if expected:
                wrong.append(f"expected <code>{html.escape(expected)}</code>")
            wrong.append(f"got <code>{html.escape(got)}</code>")
            inner = "<ul>" + "".join(f"<li>{line}</li>" for line in wrong) + "</ul>"
        items.append(f"<li>{html.escape(_group_line(group))}{inner}</li>")
    hint = f"<div><strong>Hint:</strong> {html.escape(report.hint)}</div>" if report.hint else ""
    return f"<div><strong>{html.escape(_head(report))}</strong></div><ul>{''.join(items)}</ul>{hint}"


def _head(report: CheckReport) -> str:
    return f"{report.title}: {report.points} of {_points(report.max_points)}"


def _group_line(group: GroupReport) -> str:
    mark = "✓" if group.is_right else "✗"
    right = f"{group.right} of {group.cases} cases right"
    return f"{mark} {group.title}: {right}, {group.points} of {_points(group.max_points)}"


def _points(count: int) -> str:
    return f"{count} point" if count == 1 else f"{count} points"


def as_summary(status: str, notes: tuple[str, ...], reports: Mapping[str, CheckReport]) -> str:
    """The top of a feedback page, as Markdown: status, what was mended or went wrong, points and hint of each check."""
    lines = [f"**{STATUSES[status].to_student}**", "", *(f"- {_literal(note)}" for note in notes), ""]
    for report in reports.values():
        lines.append(f"- {_head(report)}." + (f" {report.hint}" if report.points < report.max_points else ""))
    return "\n".join(lines)


def _literal(note: str) -> str:
    """A note as text: it can name a cell that a student named."""
    return note.replace("&", "&amp;").replace("<", "&lt;").replace("`", "'")
