"""Grades one notebook: a pure function from the repaired notebook and the lab's cases to outputs and verdicts.

Two passes, each in a child of its own. The first runs the cells, keeps what they print, and asks the public cases.
The second runs the cells again in silence and asks the hidden ones: nothing that was in the room with a hidden
input can reach an output, an error message or a shown answer (spec 4, rule 3).
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grader.asker import Asker, RoomClosed
from grader.bounds import Bounds
from grader.cases import Case
from grader.exam import Cases, Exam
from grader.judge import Answer, CaseVerdict, judge, read_reply
from grader.launch import CouldNotLaunch, Furniture, Launch
from grader.plan import AskCheck, RunCell, Step, make_plan
from grader.status import STATUSES
from grader.verdict import CheckVerdict
from stub_server.ledger import Ledger

_INPUT_NAME = re.compile(r"<ipython-input-[^>]*>, ")
FAILED_TWICE = "the case could not be put twice over; a person should look"


@dataclass(frozen=True)
class CellOutput:
    """What a cell printed in the first pass, and what it raised (type and message)."""

    printed: str = ""
    error: tuple[str, str] | None = None


@dataclass(frozen=True)
class Graded:
    """The outcome: status, a verdict for each grading cell by grade_id, cell outputs by index, notes to a person."""

    status: str
    verdicts: dict[str, CheckVerdict]
    outputs: dict[int, CellOutput]
    notes: tuple[str, ...]


@dataclass
class _Pass:
    """One pass over the notebook: what is left to do, what is known, and what must not run again."""

    steps: tuple[Step, ...]
    cases: Cases
    is_hidden: bool
    deadline: float
    skip: set[int]
    position: int = 0
    replies: dict[tuple[str, str], tuple[str, str, Ledger]] = field(default_factory=dict)
    outputs: dict[int, CellOutput] = field(default_factory=dict)
    seconds_left: dict[str, float] = field(default_factory=dict)
    closed: list[RoomClosed] = field(default_factory=list)
    asked_again: set[tuple[str, str]] = field(default_factory=set)
    output_left: int = 0


def grade_notebook(notebook: Any, exam: Exam, launch: Launch, bounds: Bounds | None = None) -> Graded:
    """Run and judge ``notebook``, whose locked cells are the released ones.

    Every case of every check gets a verdict; a case without a reply is wrong. Where the child cannot be started the
    status is ``could_not_grade`` and there are no verdicts. Never raises for what student code does.
    """
    bounds = bounds or Bounds()
    steps = make_plan(notebook)
    deadline = time.monotonic() + bounds.notebook_s
    first = _Pass(steps, exam.public, False, deadline, set(), output_left=bounds.notebook_output)
    second = _Pass(steps, exam.hidden, True, deadline, first.skip)
    try:
        for one in (first, second):
            _run(one, exam.room, launch, bounds)
    except CouldNotLaunch as problem:
        return Graded("could_not_grade", {}, {}, (str(problem),))
    verdicts = {
        step.grade_id: CheckVerdict(exam.lab.check(step.check_id), _judge_all(step, first, second))
        for step in steps
        if isinstance(step, AskCheck)
    }
    closed = [*first.closed, *second.closed]
    found = {room.status for room in closed}
    status = next((name for name in STATUSES if name in found), "graded")
    closed.sort(key=lambda room: room.status != status)  # what explains the status is told first
    return Graded(status, verdicts, first.outputs, tuple(dict.fromkeys(map(str, closed))))


def _judge_all(step: AskCheck, *passes: _Pass) -> tuple[CaseVerdict, ...]:
    verdicts = [
        judge(case, _answer(one, step.check_id, case)) for one in passes for case in one.cases.get(step.check_id, ())
    ]
    return tuple(replace(one, problem=_why_missing(one.problem, step, passes[0])) for one in verdicts)


def _why_missing(problem: str, step: AskCheck, shown: _Pass) -> str:
    """Of a name that is not there because its cell stopped, what the cell stopped with: the NameError says nothing."""
    name = next((name for name in step.names if problem == f"raised NameError: {name} is not defined"), None)
    if name is None:
        return problem
    defines = re.compile(rf"\b(def|class)\s+{name}\b|^{name}\s*[:=]", re.MULTILINE)
    for cell in shown.steps:
        if isinstance(cell, RunCell) and cell.index in shown.outputs and defines.search(cell.source):
            error = shown.outputs[cell.index].error
            if error is not None:
                kind, message = error
                return f"{name} is not defined: its cell stopped: {_INPUT_NAME.sub('', message or kind)}"
    return problem


def _answer(one: _Pass, check_id: str, case: Case) -> Answer:
    """Judged after the pass has ended, so that effects that came late still count against their case."""
    known = one.replies.get((check_id, case.id))
    if known is None:
        return Answer("silent", detail="was not reached")
    kind, text, ledger = known
    return read_reply(kind, text, tuple(row.order_id for row in ledger.rows))


def _run(one: _Pass, room: Furniture, launch: Launch, bounds: Bounds) -> None:
    """Go through the steps; after a death or a hang start again without what caused it."""
    while one.position < len(one.steps) and time.monotonic() < one.deadline:
        # A notebook has its unshared second once, not again in each child that takes the place of one that died.
        used = bounds.notebook_s - (one.deadline - time.monotonic())
        left = replace(bounds, unshared_s=max(0.0, bounds.unshared_s - used))
        asker = Asker(launch(room, one.is_hidden), left)
        try:
            _greet(asker, bounds, sorted({step.check_id for step in one.steps if isinstance(step, AskCheck)}))
            _go_on(one, asker, bounds)
        except RoomClosed as closed:
            if closed.status != "again":
                one.closed.append(closed)
        finally:
            asker.close()
    if one.position < len(one.steps):
        late = RoomClosed("timed_out", f"took more than {bounds.notebook_s:g} s")
        late.where = "the notebook"
        one.closed.append(late)


def _greet(asker: Asker, bounds: Bounds, check_ids: Sequence[str]) -> None:
    """The handshake before any student code: a failure up to here is ours, a check without a driver included."""
    until = time.monotonic() + bounds.start_s
    try:
        heard = asker.ask({"op": "ready", "checks": check_ids}, until=until, room_for_output=4096)
    except RoomClosed as closed:
        said = closed.output.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise CouldNotLaunch(" ".join(["the grading process did not start:", closed.reason, *said])) from closed
    if heard.message.get("trouble"):
        raise CouldNotLaunch(f"the grading process is not whole: {heard.message['trouble']}")


def _go_on(one: _Pass, asker: Asker, bounds: Bounds) -> None:
    for step in one.steps[: one.position]:
        if isinstance(step, RunCell):
            _run_cell(one, step, asker, bounds, is_again=True)
    while one.position < len(one.steps):
        step = one.steps[one.position]
        if isinstance(step, RunCell):
            _run_cell(one, step, asker, bounds, is_again=False)
        else:
            _ask_check(one, step, asker, bounds)
        one.position += 1


def _run_cell(one: _Pass, step: RunCell, asker: Asker, bounds: Bounds, *, is_again: bool) -> None:
    if step.index in one.skip:
        return
    keeps = not one.is_hidden and not is_again
    room = min(bounds.cell_output, one.output_left) if keeps else 0
    until = min(one.deadline, time.monotonic() + bounds.cell_s)
    try:
        heard = asker.ask({"op": "cell", "source": step.source}, until=until, room_for_output=room)
    except RoomClosed as closed:
        one.skip.add(step.index)
        closed.where = f"cell {step.name}"
        if keeps:
            _keep(one, step, closed.output, (closed.status, closed.reason), room)
        raise
    if keeps:
        _keep(one, step, heard.output, _read_error(heard.message.get("error")), room)


def _keep(one: _Pass, step: RunCell, output: bytes, error: tuple[str, str] | None, room: int) -> None:
    one.output_left -= len(output)
    printed = output.decode("utf-8", "replace")
    if (room and len(output) >= room) or one.output_left <= 0:
        printed += "\n[the rest of the output was cut]"
    one.outputs[step.index] = CellOutput(printed, error)


def _read_error(error: Any) -> tuple[str, str] | None:
    match error:
        case [str(kind), str(message)]:
            return kind[:80], message[:500]
    return None


def _ask_check(one: _Pass, step: AskCheck, asker: Asker, bounds: Bounds) -> None:
    """Ask the cases not asked yet; all cases of a check share one cell's time."""
    for case in one.cases.get(step.check_id, ()):
        key = (step.check_id, case.id)
        if key in one.replies:
            continue
        left = one.seconds_left.setdefault(step.grade_id, bounds.cell_s)
        ledger = new_ledger()
        if left <= 0:
            one.replies[key] = ("silent", "was not asked: the check's time was up", ledger)
            continue
        asker.switch_ledger(ledger)
        started = time.monotonic()
        request = {
            "op": "case",
            "check": step.check_id,
            "objects": step.names,
            "input": case.input,
            "tell_message": not case.is_hidden,
        }
        try:
            heard = asker.ask(request, until=min(one.deadline, started + left), room_for_output=0)
        except RoomClosed as closed:
            one.replies[key] = ("silent", closed.reason, ledger)
            closed.where = f"{step.check_id}, {'a case that is not shown' if case.is_hidden else case.what}"
            raise
        finally:
            one.seconds_left[step.grade_id] = left - (time.monotonic() - started)
        kind, text = heard.message.get("kind"), heard.message.get("text")
        if kind == "our_fault":
            _ask_once_more(one, step, key)
            kind, text = "silent", FAILED_TWICE
        if kind not in ("value", "raised", "not_json", "too_long") or not isinstance(text, str):
            kind, text = "silent", "the reply was not an answer"
        one.replies[key] = (kind, text, ledger)


def _ask_once_more(one: _Pass, step: AskCheck, key: tuple[str, str]) -> None:
    """A driver says that the machine failed it: the case is asked again, in a new child, once.

    The second time it counts as unanswered and a person is to look. Student code can say the same, so that it must
    never win a mark, or a way out of one; and none of its words are passed on.
    """
    if key not in one.asked_again:
        one.asked_again.add(key)
        raise RoomClosed("again", "")
    failed = RoomClosed("crashed", FAILED_TWICE)
    failed.where = step.check_id
    one.closed.append(failed)


def new_ledger() -> Ledger:
    """Order ids start at a random number, so that none can be guessed; the judge puts the real ones in."""
    return Ledger(first_order=1000 + secrets.randbelow(9000))
