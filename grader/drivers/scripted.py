"""A budget whose decisions are told to it, so that a case can ask what a student's code makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workshop.budget import ToolBudget


class ScriptedBudget(ToolBudget):
    """Writes down what it was asked, and answers with ``reason_for(turn, tool)``: "admit" or a reason to deny.

    The turns of ``admit`` count from 0.
    """

    def __init__(self, reason_for: Callable[[int, str], str], permit: dict[str, Any]) -> None:
        super().__init__(permit)
        self._reason_for = reason_for
        self.asked: list[dict[str, Any]] = []
        self.depths: list[int] = []

    def admit(self, tool: str, args: dict[str, Any], *, depth: int) -> None:
        reason = self._reason_for(len(self.asked), tool)
        self.asked.append({"tool": tool, "args": args})
        self.depths.append(depth)
        if reason != "admit":
            self.deny(tool, reason)
        self.decisions.append({"tool": tool, "ok": True, "reason": reason})
