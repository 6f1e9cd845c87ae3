"""Cases as data: public ones in fixtures/LAB/cases.json, hidden ones in solutions/LAB/hidden_cases.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stub_server.errors import Mendable
from workshop.lab import Check, Lab

PUBLIC_FILE = "cases.json"
HIDDEN_FILE = "hidden_cases.json"


class CasesInvalid(Mendable):
    """A table of cases says something that cannot be: the message names file, case and what to mend."""


@dataclass(frozen=True)
class Case:
    """One question to the student's code and the answers that are right.

    ``accepted`` holds every right answer (JSON); ``effects`` is how many effects the ledger must have counted, None
    where another group's cases judge them; ``exposes`` names the misconception that this case catches. ``called``
    says what is called where that is not what the check's ``called`` in lab.toml says.
    """

    id: str
    group: str
    exposes: str | None
    what: str
    input: Any
    accepted: tuple[Any, ...]
    effects: int | None
    is_hidden: bool
    called: str | None = None


def public_cases(lab: Lab) -> dict[str, tuple[Case, ...]]:
    """The lab's public cases by check id."""
    return read_cases(lab.data / PUBLIC_FILE, lab, is_hidden=False)


def hidden_cases(lab: Lab, solutions: Path) -> dict[str, tuple[Case, ...]]:
    """The lab's hidden cases by check id; ``solutions`` is the folder that holds a folder a lab."""
    return read_cases(solutions / lab.id / HIDDEN_FILE, lab, is_hidden=True)


def read_cases(path: Path, lab: Lab, *, is_hidden: bool) -> dict[str, tuple[Case, ...]]:
    """Read a table of cases and hold it against lab.toml; raises CasesInvalid."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise CasesInvalid(f"{path}: {problem}") from problem
    checks = {check.id: check for check in lab.checks}
    if set(table) - set(checks):
        raise CasesInvalid(f"{path}: checks {sorted(set(table) - set(checks))} are not in lab.toml")
    return {
        check_id: tuple(_case(raw, checks[check_id], lab, path, is_hidden=is_hidden) for raw in rows)
        for check_id, rows in table.items()
    }


def _case(raw: dict[str, Any], check: Check, lab: Lab, path: Path, *, is_hidden: bool) -> Case:
    where = f"{path}: case {raw.get('id')!r} of {check.id}"
    allowed = {"id", "group", "exposes", "what", "input", "expected", "accepted", "effects", "called"}
    if set(raw) - allowed or not {"id", "group", "what", "input"} <= set(raw):
        raise CasesInvalid(f"{where}: wrong keys {sorted(set(raw) ^ allowed)}")
    if ("expected" in raw) == ("accepted" in raw):
        raise CasesInvalid(f"{where}: give either expected or accepted")
    if raw["group"] not in {group.id for group in check.groups}:
        raise CasesInvalid(f"{where}: group {raw['group']!r} is not in lab.toml")
    exposes = raw.get("exposes")
    if exposes is not None and exposes not in lab.misconceptions:
        raise CasesInvalid(f"{where}: misconception {exposes!r} is not in lab.toml")
    accepted = (raw["expected"],) if "expected" in raw else tuple(raw["accepted"])
    return Case(
        id=raw["id"],
        group=raw["group"],
        exposes=exposes,
        what=raw["what"],
        input=raw["input"],
        accepted=accepted,
        effects=raw.get("effects", 0),
        is_hidden=is_hidden,
        called=raw.get("called"),
    )
