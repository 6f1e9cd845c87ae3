"""The planner's scripts: recorded turns of an assistant, polite and hostile, read from data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from stub_server.fixtures import FixtureInvalid, read_folder


@dataclass(frozen=True)
class ToolCall:
    """A proposed call. The arguments are a string, and nothing says that it holds JSON."""

    name: str
    arguments: str
    id: str


@dataclass(frozen=True)
class Delta:
    """A piece of a call in a stream: id and name come with the first piece of its index, usually."""

    index: int
    arguments: str
    id: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Turn:
    """One assistant message.

    Attributes:
        deltas: how its calls are streamed, where that is not simply one after the other.
    """

    content: str | None
    calls: tuple[ToolCall, ...]
    deltas: tuple[Delta, ...]
    finish_reason: str


@dataclass(frozen=True)
class Script:
    """The turns of one planner, chosen by giving its name as the model."""

    name: str
    about: str
    turns: tuple[Mapping[str, Any], ...]
    is_endless: bool

    def turn(self, number: int) -> Turn:
        """The turn with this number, counted from 0. Past the end: the last one again, with new ids if it calls.

        A script that is not endless must end with a turn without calls, so that repeating it asks for nothing.
        """
        written = self.turns[min(number, len(self.turns) - 1)]
        calls = tuple(
            ToolCall(call["name"], call["arguments"], call.get("id", f"call_{number + 1}_{place + 1}"))
            for place, call in enumerate(written.get("calls", ()))
        )
        deltas = tuple(Delta(**delta) for delta in written.get("deltas", ())) or _one_after_another(calls)
        reason = written.get("finish_reason", "tool_calls" if calls else "stop")
        return Turn(written.get("content"), calls, deltas, reason)


@cache
def scripts() -> Mapping[str, Script]:
    """The scripts shipped, by name.

    Raises:
        FixtureInvalid: a file does not hold a script.
    """
    return {name: parse_script(name, written) for name, written in read_folder("scripts").items()}


def parse_script(name: str, written: Any) -> Script:
    """A script as its file has it.

    Raises:
        FixtureInvalid: it lacks something, or would go on asking for calls without saying that it is endless.
    """
    try:
        script = Script(name, written["about"], tuple(written["turns"]), written.get("after") == "repeat")
        last = [script.turn(number) for number in range(len(script.turns))][-1]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise FixtureInvalid(f"script {name}: {type(error).__name__}: {error}") from error
    if last.calls and not script.is_endless:
        raise FixtureInvalid(f"script {name}: it ends with calls; add a closing turn or `after`: `repeat`")
    return script


def _one_after_another(calls: tuple[ToolCall, ...], piece: int = 8) -> tuple[Delta, ...]:
    deltas: list[Delta] = []
    for index, call in enumerate(calls):
        deltas.append(Delta(index, "", call.id, call.name))
        deltas += [Delta(index, call.arguments[at : at + piece]) for at in range(0, len(call.arguments), piece)]
    return tuple(deltas)
