"""Lab 5's props: a run's budget and evidence, the allowlist, typed errors, the agent loop. Students write the gates."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

Message = dict[str, str]
"""What the model reads: ``{"role": "user" or "tool", "content": text}``."""

EvidenceLine = dict[str, Any]


class GateError(Exception):
    """A gate said no. ``code`` is for the model too; ``detail`` is for the operator's log alone.

    The codes are ``budget_exceeded``, ``unknown_tool``, ``tool_timeout`` and ``schema_invalid`` (article 003).
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class ToolSpec:
    """What an operator pinned of a tool: its time limit (s), the most bytes of a result, and the result's schema."""

    name: str
    timeout_s: float
    max_bytes: int
    schema_id: str
    required: tuple[str, ...]


@dataclass(frozen=True)
class Allowlist:
    """The tools of one version, by exact name. Nothing can be added while a run goes on."""

    version: str
    tools: Mapping[str, ToolSpec]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", MappingProxyType(dict(self.tools)))


def read_allowlist(path: Path) -> Allowlist:
    """The allowlist of a JSON file: its version, and for each tool what ToolSpec holds."""
    return make_allowlist(json.loads(path.read_text(encoding="utf-8")))


def make_allowlist(raw: Mapping[str, Any]) -> Allowlist:
    """The allowlist that plain JSON describes."""
    tools = {
        name: ToolSpec(name, tool["timeout_s"], tool["max_bytes"], tool["schema_id"], tuple(tool["required"]))
        for name, tool in raw["tools"].items()
    }
    return Allowlist(raw["version"], tools)


@dataclass
class RunBudget:
    """One run: its caps, what it has used, and its evidence.

    ``clock`` gives seconds that never go back; it started at ``started_at``. ``parent`` names the dead run that this
    one resumes.
    """

    run_id: str
    max_steps: int
    max_wall_s: float
    parent: str | None = None
    clock: Callable[[], float] = time.monotonic
    steps_used: int = 0
    evidence: list[EvidenceLine] = field(default_factory=list)
    started_at: float = field(init=False)

    def __post_init__(self) -> None:
        self.started_at = self.clock()

    def note(
        self,
        step: int,
        allowlist: Allowlist,
        tool: str,
        gate: str,
        *,
        timeout_s: float | None = None,
        size: int = 0,
    ) -> None:
        """Append one line of evidence.

        ``step`` counts from 1. ``gate`` is "ok" or the code of the error. ``timeout_s`` is the time the tool was
        given, None where it never started; ``size`` is how many bytes of its result were kept.
        """
        spec = allowlist.tools.get(tool)
        self.evidence.append(
            {
                "run_id": self.run_id,
                "step": step,
                "max_steps": self.max_steps,
                "wall_ms_used": round(1000 * (self.clock() - self.started_at)),
                "max_wall_ms": round(1000 * self.max_wall_s),
                "tool": tool,
                "timeout_ms": None if timeout_s is None else round(1000 * timeout_s),
                "bytes": size,
                "allowlist_version": allowlist.version,
                "schema_id": spec.schema_id if spec else None,
                "gate": gate,
            }
        )


def to_prompt(error: GateError) -> Message:
    """A typed error as the model may see it: its code, and nothing of what a tool said."""
    return {"role": "tool", "content": json.dumps({"error": error.code})}


class Running(Protocol):
    """A started worker, as a student's code sees it."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...

    def read(self) -> bytes: ...


StartWorker = Callable[[str, dict[str, Any]], Running]


@dataclass(frozen=True)
class Student:
    """The student's parts of the loop."""

    check_budget: Callable[[RunBudget], None]
    dispatch: Callable[[RunBudget, Allowlist, str, dict[str, Any], StartWorker], dict[str, Any]]
    next_prompt: Callable[[list[Message], Any], list[Message] | None]


def run_agent(
    model: Callable[[list[Message]], tuple[str, dict[str, Any]] | None],
    task: str,
    budget: RunBudget,
    allowlist: Allowlist,
    start_worker: StartWorker,
    student: Student,
) -> str:
    """Let ``model`` call tools until it is done or the budget is; returns "done" or "budget_exceeded".

    The model gets the prompt and gives a tool's name and arguments, or None when it is done.
    """
    prompt: list[Message] | None = [{"role": "user", "content": task}]
    while prompt is not None:
        try:
            student.check_budget(budget)
        except GateError as error:
            return error.code
        call = model(prompt)
        if call is None:
            return "done"
        tool, args = call
        outcome: dict[str, Any] | GateError
        try:
            outcome = student.dispatch(budget, allowlist, tool, args, start_worker)
        except GateError as error:
            outcome = error
        prompt = student.next_prompt(prompt, outcome)
    return "budget_exceeded"
