"""Asks a student's object one case and writes down what happened, as JSON text or as what it raised."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grader.bounds import MAX_REPLY_BYTES
from grader.drivers import OurFault, World, find_driver

_dumps = json.dumps


@dataclass(frozen=True)
class Reply:
    """What one case gave.

    ``kind`` is value, raised, not_json, too_long or our_fault; ``text`` the JSON or what was raised.
    """

    kind: str
    text: str


def drive(check_id: str, objects: Sequence[Any], case_input: Any, world: World, *, tell_message: bool) -> Reply:
    """Call the check's driver with a case's input.

    Everything a student's code can raise is caught, but a KeyboardInterrupt: in a notebook that is the student.
    ``tell_message`` is False for hidden cases: then only the exception's type is told (spec 4, rule 3).
    """
    try:
        ask = find_driver(check_id)
    except Exception as fault:
        return Reply("our_fault", describe(fault))
    try:
        value = ask(world, case_input, *objects)
    except KeyboardInterrupt:
        raise
    except OurFault as fault:
        return Reply("our_fault", describe(fault))
    except BaseException as raised:
        return Reply("raised", describe(raised) if tell_message else type(raised).__name__)
    try:
        text = _dumps(value, allow_nan=False)
    except Exception:
        return Reply("not_json", "")
    return Reply("value", text) if len(text) <= MAX_REPLY_BYTES else Reply("too_long", "")


def describe(raised: BaseException) -> str:
    """Type, message and the last line of the student's own code that led to it."""
    try:
        message = str(raised).strip().partition("\n")[0]
    except Exception:
        message = ""
    told = type(raised).__name__ + (f": {message}" if message else "")
    own = [frame for frame in traceback.extract_tb(raised.__traceback__) if _is_students(frame.filename)]
    if own and own[-1].line:
        told += f" (in your cell, line {own[-1].lineno}: {own[-1].line})"
    return told[:500].encode("utf-8", "replace").decode("utf-8")


def _is_students(filename: str) -> bool:
    """IPython compiles a cell under a name in angle brackets or a temporary ipykernel file."""
    return filename.startswith("<ipython-input") or "ipykernel_" in filename
