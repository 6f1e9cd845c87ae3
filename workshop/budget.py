"""What a budget keeps: its counters, its decision list, and how it denies. The gates are the student's to write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

Decision = dict[str, Any]
"""A row of the decision list: ``{"tool": str, "ok": bool, "reason": str}``, reason "admit" where ok is true."""


class BudgetDenied(Exception):
    """A tool call would go past the permit. The message is the denial reason."""


@dataclass
class ToolBudget:
    """The counters and the decision list of one agent under one permit (article 000, spec 2).

    ``total_calls`` and ``per_tool`` count admitted calls, ``depth`` is the largest depth admitted so far.
    """

    permit: dict[str, Any]
    total_calls: int = 0
    per_tool: dict[str, int] = field(default_factory=dict)
    depth: int = 0
    decisions: list[Decision] = field(default_factory=list)

    def deny(self, tool: str, reason: str) -> NoReturn:
        """Append the row of a denied call and raise BudgetDenied(reason)."""
        self.decisions.append({"tool": tool, "ok": False, "reason": reason})
        raise BudgetDenied(reason)
