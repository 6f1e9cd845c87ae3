"""How to call a student's object with a case: one module a lab, one function a check.

A driver turns what the student's code does into plain JSON. It never sees an expected value and never compares:
the same function runs in the student's notebook and in the child process that grades (spec 4, rule 3).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stub_server.errors import Mendable
from stub_server.ledger import EffectLedger
from workshop.lab import Lab

Json = Any
"""What ``json.loads`` can give: None, bool, int, float, str, list, dict."""

Driver = Callable[..., Json]
_DRIVERS: dict[str, Driver] = {}


@dataclass(frozen=True)
class World:
    """What a case may touch beside the student's object.

    The ledger counts where student code cannot reach; the lab is the one the case belongs to, wherever the current
    folder is by now.
    """

    ledger: EffectLedger
    lab: Lab


class UnknownCheck(Mendable):
    """No driver answers to the check's id."""


class OurFault(Exception):
    """The kit or the machine failed a case, not the student: the case is asked again, then nobody is marked for it."""


def driver(check_id: str) -> Callable[[Driver], Driver]:
    """Register the decorated function as the way to ask ``check_id``: ``(world, case_input, *objects) -> Json``."""

    def register(function: Driver) -> Driver:
        _DRIVERS[check_id] = function
        return function

    return register


def find_driver(check_id: str) -> Driver:
    """The driver of ``check_id``, from ``grader.drivers.labN``; raises UnknownCheck."""
    prefix = check_id.partition(".")[0]
    if check_id not in _DRIVERS and prefix.isidentifier():
        try:
            importlib.import_module(f"grader.drivers.{prefix}")
        except ModuleNotFoundError as missing:
            if missing.name != f"grader.drivers.{prefix}":
                raise
    if check_id not in _DRIVERS:
        raise UnknownCheck(f"no check {check_id!r}; is the name spelt as in the lab's check cells?")
    return _DRIVERS[check_id]
