"""What a notebook calls: check("lab1.counting", Budget) shows the public cases and raises where one is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.cases import Case, public_cases
from grader.diagnose import PATTERNS_FILE, diagnose, read_patterns
from grader.drive import drive
from grader.drivers import OurFault, World
from grader.judge import CaseVerdict, judge, read_reply
from grader.verdict import CheckVerdict
from stub_server.ledger import Ledger
from workshop.charts import CaseRow, as_text, case_table
from workshop.lab import Lab


class CheckFailed(AssertionError):
    """A case was wrong. One line: in a notebook the table above it says the rest."""

    def _render_traceback_(self) -> list[str]:
        """IPython asks for this: the line alone, without a traceback into the kit."""
        return [f"CheckFailed: {self}"]


def check(check_id: str, *objects: Any) -> None:
    """Ask ``objects`` the public cases of ``check_id``, show them as a table, and raise CheckFailed for a wrong one.

    Raising makes ``nbgrader validate`` right too: it reads a cell that only displays as passed (spec 2).
    """
    from IPython.display import display

    lab = Lab.find(check_id.partition(".")[0])
    verdict = CheckVerdict(
        lab.check(check_id),
        tuple(_ask_here(case, check_id, objects, lab) for case in public_cases(lab)[check_id]),
    )
    hint = diagnose(verdict.cases, lab, read_patterns(lab.data / PATTERNS_FILE).get(check_id, {})).hint
    display(
        case_table(
            [_row(case) for case in verdict.cases],
            title=verdict.check.title,
            passed=verdict.passed,
            total=len(verdict.cases),
            points=(verdict.points, verdict.check.points),
            hint=hint,
        )
    )
    wrong = verdict.first_wrong
    if wrong:
        raise CheckFailed(
            f"{check_id}: {verdict.passed} of {len(verdict.cases)} cases right; first wrong: {wrong.case.what}"
        )


def _ask_here(case: Case, check_id: str, objects: Sequence[Any], lab: Lab) -> CaseVerdict:
    world = World(ledger := Ledger(), lab)
    reply = drive(check_id, objects, case.input, world, tell_message=True)
    if reply.kind == "our_fault":
        raise OurFault(f"{reply.text}; run the check again, and if it stays, tell whoever gave you this lab")
    return judge(case, read_reply(reply.kind, reply.text, tuple(row.order_id for row in ledger.rows)))


def _row(verdict: CaseVerdict) -> CaseRow:
    case = verdict.case
    expected = " or ".join(as_text(value) for value in verdict.expected)
    got = as_text(verdict.got) if verdict.problem in ("", "differs") else verdict.problem
    return CaseRow(what=case.what, expected=expected, got=got, ok=verdict.is_right)
