"""What a verdict looks like to a reader: in the graded notebook, in verdict.json, in one line (spec 4, feedback)."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from grader.diagnose import diagnose
from grader.grading import Graded
from grader.judge import CaseVerdict
from grader.verdict import CheckVerdict
from workshop.charts import as_text
from workshop.lab import Group, Lab

_LONGEST_VALUE = 300
STATUS_WORDS = {
    "could_not_grade": "Could not be graded: the grading process failed, not your code. A person will look.",
    "not_submitted": "Nothing was handed in.",
    "tampered": "A grading cell was changed or the grader was disturbed. What worked counts; a person will look.",
    "timed_out": "Something ran out of time. What finished counts.",
    "crashed": "The notebook's process died. What finished counts.",
    "graded": "Graded.",
}


@dataclass(frozen=True)
class GroupReport:
    """A group's points and how many of its cases are right."""

    id: str
    points: int
    max_points: int
    right: int
    cases: int


@dataclass(frozen=True)
class CheckReport:
    """A check's verdict for readers and scripts. Of hidden cases it holds counts, never a value."""

    check_id: str
    points: int
    max_points: int
    misconception: str | None
    first_wrong: str
    text: str
    groups: tuple[GroupReport, ...]
    wrong_public_cases: tuple[str, ...]

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> CheckReport:
        groups = tuple(GroupReport(**group) for group in raw["groups"])
        return cls(**{**raw, "groups": groups, "wrong_public_cases": tuple(raw["wrong_public_cases"])})


def report_checks(graded: Graded, lab: Lab) -> dict[str, CheckReport]:
    """A report for each grading cell, by grade_id, in the notebook's order."""
    return {grade_id: _report(verdict, lab) for grade_id, verdict in graded.verdicts.items()}


def _report(verdict: CheckVerdict, lab: Lab) -> CheckReport:
    misconception = diagnose(verdict.cases, lab)
    return CheckReport(
        check_id=verdict.check.id,
        points=verdict.points,
        max_points=verdict.check.points,
        misconception=misconception.id if misconception else None,
        first_wrong=_first_wrong(verdict, lab),
        text=check_text(verdict, lab),
        groups=tuple(_group_report(verdict, group) for group in verdict.check.groups),
        wrong_public_cases=tuple(case.case.id for case in verdict.cases if not (case.is_right or case.case.is_hidden)),
    )


def _group_report(verdict: CheckVerdict, group: Group) -> GroupReport:
    cases = verdict.of_group(group)
    points = group.points if verdict.has_earned(group) else 0
    return GroupReport(group.id, points, group.points, sum(case.is_right for case in cases), len(cases))


def _first_wrong(verdict: CheckVerdict, lab: Lab) -> str:
    """One line for the instructor's table: the likeliest misconception, else the check and what was wrong."""
    wrong = verdict.first_wrong
    if wrong is None:
        return ""
    misconception = diagnose(verdict.cases, lab)
    return misconception.title if misconception else f"{verdict.check.title}: {_problem_in_words(wrong)}"


def check_text(verdict: CheckVerdict, lab: Lab) -> str:
    """The check's verdict as plain text: points, then each group with its first wrong case, then one hint."""
    lines = [f"{verdict.check.title}: {verdict.points} of {verdict.check.points} points"]
    for group in verdict.check.groups:
        lines += _group_lines(verdict, group)
    misconception = diagnose(verdict.cases, lab)
    if misconception:
        lines.append(f"Hint: {misconception.hint}")
    return "\n".join(lines)


def as_html(text: str) -> str:
    """A report's text as escaped HTML without style or script, so that nbconvert's sanitiser keeps it."""
    head, _, rest = text.partition("\n")
    return f"<p><strong>{html.escape(head)}</strong></p><pre>{html.escape(rest)}</pre>"


def _group_lines(verdict: CheckVerdict, group: Group) -> list[str]:
    report = _group_report(verdict, group)
    mark = "✓" if verdict.has_earned(group) else "✗"
    line = f"{mark} {group.title}: {report.right} of {report.cases} cases, {report.points} of {group.points} points"
    wrong = next((case for case in verdict.of_group(group) if not case.is_right), None)
    return [line, *_wrong_lines(wrong)] if wrong else [line]


def _wrong_lines(wrong: CaseVerdict) -> list[str]:
    if wrong.case.is_hidden:
        return [f"    a case that is not shown: {_problem_in_words(wrong)}"]
    expected = " or ".join(_cut(as_text(value)) for value in wrong.expected)
    got = _cut(as_text(wrong.got)) if wrong.problem == "differs" else wrong.problem
    return [f"    {wrong.case.what}", f"      expected {expected}", f"      got      {got}"]


def _problem_in_words(verdict: CaseVerdict) -> str:
    if verdict.problem == "differs":
        return "the answer differs"
    if verdict.problem.startswith("raised NotImplementedError"):
        return "not filled in yet"
    return verdict.problem.partition(", expected")[0]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} … ({len(text)} characters)"


def verdict_document(
    status: str, notes: tuple[str, ...], reports: Mapping[str, CheckReport], lab: Lab, key: str
) -> str:
    """verdict.json: status, points (null where nothing was judged), each check's report, the submission's key."""
    was_judged = status != "could_not_grade"
    document = {
        "version": 1,
        "key": key,
        "lab": lab.id,
        "status": status,
        "points": sum(report.points for report in reports.values()) if was_judged else None,
        "max_points": lab.points,
        "first_wrong": next((report.first_wrong for report in reports.values() if report.first_wrong), ""),
        "notes": list(notes),
        "checks": {grade_id: asdict(report) for grade_id, report in reports.items()},
    }
    return json.dumps(document, indent=1) + "\n"
