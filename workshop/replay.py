"""Replay through the stub: a patient client, and a helpful one whose lists differ."""

from __future__ import annotations

from typing import Any, Protocol

import httpx

from stub_server import StubApp, SyncTransport
from workshop.budget import Decision

PATIENCE_S = 2.0
TIMEOUT_S = 20.0


class Budget(Protocol):
    """What a client needs of a student's budget."""

    decisions: list[Decision]

    def admit(self, tool: str, args: dict[str, Any], *, depth: int) -> None: ...


class PatientClient:
    """Asks the budget, then runs the tool on the stub, once. A replay can use it in place of the budget."""

    def __init__(self, budget: Budget, stub: httpx.Client) -> None:
        self._budget = budget
        self._stub = stub

    @property
    def decisions(self) -> list[Decision]:
        return self._budget.decisions

    def admit(self, tool: str, args: dict[str, Any], *, depth: int) -> None:
        self._budget.admit(tool, args, depth=depth)
        self._stub.post(f"/tools/{tool}", json={"arguments": args}, timeout=TIMEOUT_S)


class HelpfulClient(PatientClient):
    """Asks the budget, then runs the tool on the stub. It means well."""

    def admit(self, tool: str, args: dict[str, Any], *, depth: int) -> None:
        self._budget.admit(tool, args, depth=depth)
        try:
            self._stub.post(f"/tools/{tool}", json={"arguments": args}, timeout=PATIENCE_S)
        except httpx.TimeoutException:
            self.admit(tool, args, depth=depth)


def cold_stub() -> httpx.Client:
    """A client of a stub of its own that has just started: the first search takes three seconds.

    The stub runs in the caller's thread and counts its seconds instead of waiting for them.
    """
    app = StubApp()
    app.room.play("cold-start")
    return httpx.Client(transport=SyncTransport(app), base_url="http://stub")
