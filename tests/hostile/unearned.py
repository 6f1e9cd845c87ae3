"""Points without work, as each lab lists them beside its wrong solutions: tests/mutants/LAB/unearned.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from tests.solved import ROOT


@dataclass(frozen=True)
class Unearned:
    """What lazy students write, and the groups that fall all the same, each with the reason.

    ``lazy`` holds, by cell to fill in, the ``cell`` with dots in it and what each lazy student ``gives`` for them.
    """

    lazy: dict[str, dict[str, Any]]
    by_laziness: dict[str, str]
    by_forgery: dict[str, str]


def read_unearned(lab_id: str) -> Unearned:
    """A lab's list; nothing is listed where there is no file."""
    path = ROOT / "tests" / "mutants" / lab_id / "unearned.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return Unearned(table.get("lazy", {}), table.get("by_laziness", {}), table.get("by_forgery", {}))
