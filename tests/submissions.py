"""Builds the notebook a made-up student hands in; hands it in, or judges it in this process, hidden cases too."""

from __future__ import annotations

import json
from typing import Any

import nbformat

from grader.cases import Case, hidden_cases, public_cases
from grader.course import Course
from grader.drive import drive
from grader.drivers import World
from grader.judge import CaseVerdict, judge, read_reply
from grader.made_up import MadeUp, fill, read_folder, solution_cells
from grader.plan import AskCheck, make_plan
from grader.solved import dump
from grader.verdict import CheckVerdict
from stub_server.ledger import Ledger
from tests.solved import ROOT, solved_namespace, solved_notebook
from workshop.lab import Lab


def made_up(kind: str, lab_id: str) -> list[MadeUp]:
    """The made-up solutions of a lab; ``kind`` is ``mutants`` (wrong) or ``variants`` (right)."""
    return read_folder(ROOT, kind, lab_id)


def released_notebook(lab_id: str) -> Any:
    """What a student gets."""
    return nbformat.read(ROOT / "notebooks" / lab_id / f"{lab_id}.ipynb", as_version=4)


def submission(lab_id: str, student: MadeUp) -> Any:
    """The notebook that ``student`` hands in: the released one, solved but for the student's own cells."""
    return fill(fill(released_notebook(lab_id), solution_cells(solved_notebook(lab_id))), student.cells)


def hand_in(course: Course, student: str, lab_id: str, notebook: Any) -> None:
    """Put the notebook, or a text that is none, where the course looks for the student's work."""
    path = course.submitted / student / lab_id / f"{lab_id}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(notebook if isinstance(notebook, str) else dump(notebook), encoding="utf-8")


def judged_here(lab_id: str, student: MadeUp) -> dict[str, CheckVerdict]:
    """Every check of the lab by id, asked in this process: quick, for code that is only wrong and not hostile."""
    lab = Lab.find(lab_id)
    namespace = solved_namespace(lab_id, student.cells)
    public, hidden = public_cases(lab), hidden_cases(lab, ROOT / "solutions")
    verdicts = {}
    for step in make_plan(solved_notebook(lab_id)):
        if isinstance(step, AskCheck):
            objects = [namespace[name] for name in step.names]
            cases = (*public[step.check_id], *hidden[step.check_id])
            verdicts[step.check_id] = CheckVerdict(
                lab.check(step.check_id), tuple(_ask(step.check_id, objects, case, lab) for case in cases)
            )
    return verdicts


def groups_lost(verdicts: dict[str, CheckVerdict]) -> set[str]:
    """The ids of the groups whose points were not earned."""
    return {
        group.id for verdict in verdicts.values() for group in verdict.check.groups if not verdict.has_earned(group)
    }


def _ask(check_id: str, objects: list[Any], case: Case, lab: Lab) -> CaseVerdict:
    ledger = Ledger()
    case_input = json.loads(json.dumps(case.input))
    reply = drive(check_id, objects, case_input, World(ledger, lab), tell_message=not case.is_hidden)
    return judge(case, read_reply(reply.kind, reply.text, tuple(row.order_id for row in ledger.rows)))
