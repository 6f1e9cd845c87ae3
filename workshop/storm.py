"""The storm: a simulated room of laptops whose agents share one endpoint with a bounded queue (article 000).

No clock and no network: simpy counts the seconds, a fixed seed draws them.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any, Protocol

import simpy

from workshop.budget import BudgetDenied
from workshop.panel import Panel, chart
from workshop.pictures import CallNode, Point

LAPTOPS = 20
ARRIVE_S = 20.0  # the laptops start at some moment of these first seconds
AT_ONCE = 2  # requests the endpoint answers at the same time
MAX_WAITING = 30  # a request that finds this many waiting is refused
ANSWER_S = 0.2  # mean time of one answer
THINK_S = 0.5  # from an error to what the agent tries next
TRIES = 3  # what the agent adds after an error: attempts first, then pages for each attempt
DEEPEST = 3  # the recording ends here; a live agent need not
TICK_S = 0.5  # distance of the points of the queue's picture
SEED = 9
PAGE = {"url": "https://example.invalid/a"}


class Admits(Protocol):
    """What can stand in front of the endpoint."""

    def admit(self, tool: str, args: dict[str, Any], *, depth: int) -> None: ...


@dataclass(frozen=True)
class Storm:
    """What the room did: requests counted, the queue over time, and the tree under one agent's first step."""

    planned: int
    denied: int
    answered: int
    refused: int
    queue: tuple[Point, ...]
    tree: CallNode


def simulate(trace: dict[str, Any], new_budget: Callable[[], Admits] | None = None) -> Storm:
    """Let every laptop play ``trace`` with the permissive agent; ``new_budget`` makes a budget for each laptop.

    In this recording every tool call comes back as an error, answered or refused.
    """
    rng = random.Random(SEED)
    room = _Room(simpy.Environment(), rng)
    turns = []
    for _ in range(LAPTOPS):
        turn: list[CallNode] = []
        turns.append(turn)
        budget = new_budget() if new_budget else None
        room.env.process(room.play(trace["steps"], budget, rng.uniform(0, ARRIVE_S), turn))
    room.env.run()
    tree: CallNode = {"label": "agent", "denied": None, "children": turns[0][:1]}
    return Storm(room.planned, room.denied, room.answered, room.refused, _thinned(room.waiting), tree)


def follow_ups(tool: str, args: dict[str, Any], depth: int) -> list[tuple[str, dict[str, Any]]]:
    """What the permissive agent plans after an error: three more attempts, and three more pages for each of them."""
    if depth >= DEEPEST:
        return []
    return [(tool, args) if depth == 1 else ("http_get", PAGE)] * TRIES


@dataclass
class _Room:
    env: Any
    rng: random.Random
    planned: int = 0
    denied: int = 0
    answered: int = 0
    refused: int = 0
    waiting: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.endpoint = simpy.Resource(self.env, capacity=AT_ONCE)

    def play(
        self, steps: list[dict[str, Any]], budget: Admits | None, start: float, turn: list[CallNode]
    ) -> Iterator[Any]:
        """One laptop: the whole plan at once, as an agent does that runs its calls in parallel."""
        yield self.env.timeout(start)
        for step in steps:
            self._plan(step["tool"], step.get("args", {}), 1, budget, turn)

    def _plan(
        self, tool: str, args: dict[str, Any], depth: int, budget: Admits | None, siblings: list[CallNode]
    ) -> None:
        self.planned += 1
        call: CallNode = {"label": tool, "denied": None, "children": []}
        siblings.append(call)
        if budget is not None:
            try:
                budget.admit(tool, args, depth=depth)
            except BudgetDenied as denial:
                self.denied += 1
                call["denied"] = str(denial)
                call["children"] = _never(tool, args, depth)
                return
        self.env.process(self._run(tool, args, depth, budget, call))

    def _run(self, tool: str, args: dict[str, Any], depth: int, budget: Admits | None, call: CallNode) -> Iterator[Any]:
        yield from self._request()
        yield self.env.timeout(THINK_S)
        for next_tool, next_args in follow_ups(tool, args, depth):
            self._plan(next_tool, next_args, depth + 1, budget, call["children"])

    def _request(self) -> Iterator[Any]:
        if len(self.endpoint.queue) >= MAX_WAITING:
            self.refused += 1
            return
        with self.endpoint.request() as turn:
            self._look()
            yield turn
            self._look()
            yield self.env.timeout(self.rng.expovariate(1 / ANSWER_S))
            self.answered += 1

    def _look(self) -> None:
        self.waiting.append((self.env.now, len(self.endpoint.queue)))


def _never(tool: str, args: dict[str, Any], depth: int) -> list[CallNode]:
    """The calls that a denied one would have led to."""
    return [
        {"label": next_tool, "denied": None, "children": _never(next_tool, next_args, depth + 1)}
        for next_tool, next_args in follow_ups(tool, args, depth)
    ]


def _thinned(waiting: list[Point]) -> tuple[Point, ...]:
    """The most that waited in each tick: enough for a picture."""
    looks = deque(waiting)
    points: list[Point] = []
    depth = 0.0
    while looks:
        end = (len(points) + 1) * TICK_S
        most = depth
        while looks and looks[0][0] < end:
            depth = looks.popleft()[1]
            most = max(most, depth)
        points.append((end - TICK_S, most))
    return (*points, (len(points) * TICK_S, depth))


def requests_table(storms: dict[str, Storm]) -> Panel:
    """Requests planned, denied by the budget, answered and refused: a row for each storm."""
    names = ("Planned", "Denied by the budget", "Answered", "Refused (queue full)")
    rows = [(name, (storm.planned, storm.denied, storm.answered, storm.refused)) for name, storm in storms.items()]
    head = "".join(f'<th scope="col" class="ao-count">{name}</th>' for name in names)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f'<td class="ao-count">{count}</td>' for count in counts)
        + "</tr>"
        for name, counts in rows
    )
    html = (
        f"<table><caption>Requests of {LAPTOPS} laptops</caption><thead>"
        f'<tr><th scope="col">Room</th>{head}</tr></thead><tbody>{body}</tbody></table>'
    )
    text = [f"Requests of {LAPTOPS} laptops"]
    for name, counts in rows:
        told = ", ".join(f"{label.lower()} {count}" for label, count in zip(names, counts, strict=True))
        text.append(f"  {name}: {told}")
    return chart(html, "\n".join(text))
