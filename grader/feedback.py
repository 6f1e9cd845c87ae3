"""What a verdict looks like to a reader: in the graded notebook, in verdict.json, in one line (spec 4, feedback)."""

from __future__ import annotations

import html
import json
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


def check_text(verdict: CheckVerdict, lab: Lab) -> str:
    """The check's verdict as plain text: points, then each group with its first wrong case, then one hint."""
    lines = [f"{verdict.check.title}: {verdict.points} of {verdict.check.points} points"]
    for group in verdict.check.groups:
        lines += _group_lines(verdict, group)
    misconception = diagnose(verdict.cases, lab)
    if misconception:
        lines.append(f"Hint: {misconception.hint}")
    return "\n".join(lines)


def check_html(verdict: CheckVerdict, lab: Lab) -> str:
    """The same text as escaped HTML without style or script, so that nbconvert's sanitiser keeps it."""
    head, *rest = check_text(verdict, lab).split("\n")
    return f"<p><strong>{html.escape(head)}</strong></p><pre>{html.escape(chr(10).join(rest))}</pre>"


def _group_lines(verdict: CheckVerdict, group: Group) -> list[str]:
    cases = verdict.of_group(group)
    right = sum(case.is_right for case in cases)
    mark = "✓" if verdict.has_earned(group) else "✗"
    earned = group.points if verdict.has_earned(group) else 0
    lines = [f"{mark} {group.title}: {right} of {len(cases)} cases, {earned} of {group.points} points"]
    wrong = next((case for case in cases if not case.is_right), None)
    return [*lines, *_wrong_lines(wrong)] if wrong else lines


def _wrong_lines(wrong: CaseVerdict) -> list[str]:
    """Of a hidden case the kind is told, never a value."""
    if wrong.case.is_hidden:
        return [f"    a case that is not shown: {_problem_in_words(wrong)}"]
    expected = " or ".join(_cut(as_text(value)) for value in wrong.expected)
    got = _cut(as_text(wrong.got)) if wrong.problem == "differs" else wrong.problem
    return [f"    {wrong.case.what}", f"      expected {expected}", f"      got      {got}"]


def _problem_in_words(verdict: CaseVerdict) -> str:
    if verdict.problem == "differs":
        return "the answer differs"
    return verdict.problem.partition(", expected")[0]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} … ({len(text)} characters)"


def first_wrong(graded: Graded, lab: Lab) -> str:
    """One line for the instructor's table: the title of the first misconception, else the first wrong case's group."""
    for verdict in graded.verdicts.values():
        wrong = verdict.first_wrong
        if wrong is None:
            continue
        misconception = diagnose(verdict.cases, lab)
        if misconception:
            return misconception.title
        return f"{verdict.check.title}: {_problem_in_words(wrong)}"
    return ""


def verdict_json(graded: Graded, lab: Lab, notes: tuple[str, ...]) -> str:
    """The verdict as a document for scripts: points, status, each case; of hidden cases only right or wrong."""
    judged = graded.status != "could_not_grade"
    document = {
        "version": 1,
        "lab": lab.id,
        "status": graded.status,
        "points": sum(verdict.points for verdict in graded.verdicts.values()) if judged else None,
        "max_points": lab.points,
        "first_wrong": first_wrong(graded, lab),
        "notes": [*notes, *graded.notes],
        "checks": [_check_document(grade_id, verdict, lab) for grade_id, verdict in graded.verdicts.items()],
    }
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def _check_document(grade_id: str, verdict: CheckVerdict, lab: Lab) -> dict[str, Any]:
    misconception = diagnose(verdict.cases, lab)
    return {
        "grade_id": grade_id,
        "id": verdict.check.id,
        "points": verdict.points,
        "max_points": verdict.check.points,
        "misconception": misconception.id if misconception else None,
        "groups": [
            {
                "id": group.id,
                "points": group.points if verdict.has_earned(group) else 0,
                "max_points": group.points,
                "right": sum(case.is_right for case in verdict.of_group(group)),
                "cases": len(verdict.of_group(group)),
            }
            for group in verdict.check.groups
        ],
        "public_cases": [
            {"id": case.case.id, "is_right": case.is_right, "problem": case.problem}
            for case in verdict.cases
            if not case.case.is_hidden
        ],
    }
