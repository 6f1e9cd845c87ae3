"""Replay through the stub: canonical JSON, a patient client, and a helpful one whose lists differ."""

from __future__ import annotations

import json
from typing import Any, Protocol

import httpx

from workshop.budget import Decision

WARM_UP_S = 3.0
PATIENCE_S = 2.0
TIMEOUT_S = 20.0


def canonical_json(value: Any) -> bytes:
    """One spelling for one value: keys sorted, no white space, ASCII escapes, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("utf-8")


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
        self._stub.post(f"/tools/{tool}", json=args, timeout=TIMEOUT_S)


class HelpfulClient(PatientClient):
    """Asks the budget, then runs the tool on the stub. It means well."""

    def admit(self, tool: str, args: dict[str, Any], *, depth: int) -> None:
        self._budget.admit(tool, args, depth=depth)
        try:
            self._stub.post(f"/tools/{tool}", json=args, timeout=PATIENCE_S)
        except httpx.TimeoutException:
            self.admit(tool, args, depth=depth)


def cold_stub() -> httpx.Client:
    """A client of a stub that has just started: its first answer takes WARM_UP_S, the others no time."""
    served: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        served.append(request.url.path)
        if len(served) == 1 and request.extensions["timeout"]["read"] < WARM_UP_S:
            raise httpx.ReadTimeout("no answer in time", request=request)
        return httpx.Response(200, json={"ok": True})

    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://stub")
