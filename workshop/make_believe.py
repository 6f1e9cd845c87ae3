"""A clock that is moved by hand and workers that follow a script: gates can be tried without waiting."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

A_LOOK_S = 0.05  # what one poll of a running worker costs on the make-believe clock
KILLED = -9


class NotRealError(Exception):
    """A make-believe worker was treated as a process; the message says what to do instead."""


class MakeBelieveClock:
    """Seconds that pass only when told to. Starts near ``time.time()``: who mixes the two clocks is off by little."""

    def __init__(self) -> None:
        self.now = float(int(time.time()))  # whole seconds: adding 5 s is then 5 s exactly

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += max(0.0, seconds)


@dataclass(frozen=True)
class Script:
    """What a worker does: how long it takes (s), what it prints, its exit code."""

    takes_s: float = 0.25
    prints: str = ""
    exit_code: int = 0


class MakeBelieveWorker:
    """Looks like a worker of workshop.worker, runs on a make-believe clock, and has no process behind it."""

    def __init__(self, tool: str, script: Script, clock: MakeBelieveClock) -> None:
        self.tool = tool
        self._script = script
        self._clock = clock
        self._started_at = clock.now
        self._killed_at: float | None = None

    @property
    def pid(self) -> NoReturn:
        raise NotRealError("this worker is make-believe, it has no process: stop it with kill_tree(worker)")

    def poll(self) -> int | None:
        """None while it runs, then its exit code. Looking takes a little time."""
        if self.is_running:
            self._clock.advance(A_LOOK_S)
        if self._killed_at is not None:
            return KILLED
        return None if self.is_running else self._script.exit_code

    def read(self) -> bytes:
        """All it has printed: nothing while it runs."""
        return b"" if self.is_running or self._killed_at is not None else self._script.prints.encode("utf-8")

    def kill(self) -> None:
        if self.is_running:
            self._killed_at = self._clock.now

    @property
    def is_running(self) -> bool:
        return self._killed_at is None and self._clock.now < self._ends_at

    @property
    def ran_s(self) -> float:
        """How long it ran, or has run until now."""
        end = self._killed_at if self._killed_at is not None else min(self._clock.now, self._ends_at)
        return end - self._started_at

    @property
    def _ends_at(self) -> float:
        # A microsecond early: the clock's sums of parts must not fall just short of the whole.
        return self._started_at + self._script.takes_s - 1e-6


class MakeBelieveTools:
    """Starts make-believe workers by script and remembers them; use ``start`` as start_worker.

    ``on_start`` is called with the tool's name whenever one starts: the tool's side effect.
    """

    def __init__(
        self,
        scripts: Mapping[str, Script],
        clock: MakeBelieveClock,
        on_start: Callable[[str], object] = lambda tool: None,
    ) -> None:
        self._scripts = scripts
        self._clock = clock
        self._on_start = on_start
        self.started: list[MakeBelieveWorker] = []

    def start(self, tool: str, args: dict[str, Any]) -> MakeBelieveWorker:
        self._on_start(tool)
        worker = MakeBelieveWorker(tool, self._scripts.get(tool, Script()), self._clock)
        self.started.append(worker)
        return worker
