"""Scenarios: lists of scripted faults for a path. Which fault comes is written down, never drawn."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from stub_server.fixtures import FixtureInvalid, read_folder

Kind = Literal["ok", "delay_ms", "apply_then_hang", "apply_then_drop", "status", "huge", "bad_json", "redirect"]
WITHOUT_DETAIL = ("ok", "apply_then_hang", "apply_then_drop", "bad_json")
HEADERS = ("retry-after", "retry-after-ms", "x-should-retry")
HUGE_BYTES_AT_MOST = 64 * 1024 * 1024


@dataclass(frozen=True)
class Step:
    """What happens to one request.

    Attributes:
        amount: milliseconds of a delay, bytes of a huge answer, or the status of an error.
        to: where a redirect leads.
        headers: what an error's answer carries besides: `retry-after` (s), `retry-after-ms`, `x-should-retry`.
    """

    kind: Kind
    amount: int = 0
    to: str = ""
    headers: tuple[tuple[str, str], ...] = ()


OK = Step("ok")


@dataclass(frozen=True)
class Scenario:
    """For each path the steps of its first, second, … request. After the last one, and elsewhere, all is well."""

    name: str
    about: str
    paths: Mapping[str, tuple[Step, ...]]

    def step(self, path: str, number: int) -> Step:
        """The step for a path's request with this number, counted from 0."""
        steps = self.paths.get(path, ())
        return steps[number] if 0 <= number < len(steps) else OK


class Playing:
    """A scenario chosen for the whole server, and how far each of its paths has come."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._lock = threading.Lock()
        self._served: dict[str, int] = {}

    def next(self, path: str) -> Step:
        if path not in self.scenario.paths:
            return OK
        with self._lock:
            number = self._served.get(path, 0)
            self._served[path] = number + 1
        return self.scenario.step(path, number)


@cache
def scenarios() -> Mapping[str, Scenario]:
    """The scenarios shipped, by name.

    Raises:
        FixtureInvalid: a file says something that cannot be played.
    """
    return {name: _scenario(name, written) for name, written in read_folder("scenarios").items()}


def _scenario(name: str, written: Any) -> Scenario:
    if not isinstance(written, dict) or set(written) != {"about", "paths"}:
        raise FixtureInvalid(f"scenario {name}: it has `about` and `paths`, nothing else")
    paths = {path: tuple(parse_step(name, step) for step in steps) for path, steps in written["paths"].items()}
    return Scenario(name, written["about"], paths)


def parse_step(scenario: str, written: Any) -> Step:
    """One step as it is written: `"ok"`, `{"delay_ms": 300}`, `{"status": 429, "retry-after": "2"}`.

    Raises:
        FixtureInvalid: it is none of the kinds, or lacks or exceeds its number.
    """
    if written in WITHOUT_DETAIL:
        return Step(written)
    if isinstance(written, dict) and written:
        kind, *headers = written
        value = written[kind]
        if kind == "redirect" and not headers and isinstance(value, str):
            return Step(kind, to=value)
        if kind in get_args(Kind) and type(value) is int and _fits(kind, value):
            more = tuple((name, written[name]) for name in headers)
            if not more or (kind == "status" and all(n in HEADERS and isinstance(v, str) for n, v in more)):
                return Step(kind, amount=value, headers=more)
    raise FixtureInvalid(f"scenario {scenario}: {written!r} is no step")


def _fits(kind: str, value: int) -> bool:
    return {
        "delay_ms": 0 <= value <= 60_000,
        "huge": 2 <= value <= HUGE_BYTES_AT_MOST,
        "status": 400 <= value <= 599,
    }.get(kind, False)
