"""Lab 3's loop: one owner of all retries, on a clock that nobody waits for. Its rules are handed in."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Observation = dict[str, Any]
"""What the loop hears of a try: ``{"ok": true, "data": …}`` or ``{"ok": false, "error": …}``."""

TRY_AGAIN = ("retry", "retry_once", "backoff", "retry_same_key", "backoff_same_key")
STARTS_AT_MOST = 200


class LoopRanAway(RuntimeError):
    """The loop's rules never stop it; in class that must end in a sentence, not in a cell that hangs."""


@dataclass(frozen=True)
class Policy:
    """The numbers of a batch; times in ms.

    Attributes:
        budget_ms: the time of the whole batch, delays included.
        max_retries: retries of one call; its first try is none.
        max_tools: tools started in one turn of the model, retries included.
        max_writes: writes started in one hour, retries included.
        base_ms, cap_ms: the ceiling of the first delay, and of any delay.
    """

    budget_ms: int = 800
    max_retries: int = 2
    max_tools: int = 8
    max_writes: int = 5
    base_ms: int = 50
    cap_ms: int = 400


@dataclass(frozen=True)
class State:
    """What is known just before a tool would be started.

    Attributes:
        elapsed_ms: time since the batch began.
        delay_ms: the delay that would come first; 0 before the first try of a call.
        tries: tries of this call so far.
        tools_started: tools started in this turn so far.
        writes_this_hour: writes started in the last hour so far.
        is_write: whether this call is a write.
    """

    elapsed_ms: float
    delay_ms: float
    tries: int
    tools_started: int
    writes_this_hour: int
    is_write: bool


@dataclass(frozen=True)
class WantedCall:
    """One thing that the model wants done.

    Attributes:
        intent: the id of what is wanted; two calls with equal arguments can be two intents.
        effect: "read" or "write".
        takes_key: whether the tool knows idempotency keys.
    """

    intent: str
    tool: str
    effect: str
    args: Mapping[str, Any] = field(default_factory=dict)
    takes_key: bool = False


class Tools(Protocol):
    """What can be started. Nobody waits for a start longer than ``wait_ms``."""

    def start(self, call: WantedCall, key: str | None, wait_ms: float) -> tuple[float, Observation]:
        """Start the tool once; how long it took (ms) and what was heard of it."""
        ...

    def poll(self, call: WantedCall, key: str | None) -> str:
        """What the far end knows of the call: ``applied``, ``never_seen`` or ``in_doubt``."""
        ...


@dataclass(frozen=True)
class Rules:
    """What the loop asks: three functions of the student's, and the student's table."""

    decide: Callable[..., str]
    next_delay: Callable[[int, Policy, random.Random], float]
    must_stop: Callable[[State, Policy], str | None]
    key_for_try: Callable[[WantedCall, int], str]


@dataclass(frozen=True)
class Outcome:
    """How one call ended: ``ok``, a reason to stop, or an error and what followed it.

    Attributes:
        at_ms: when it ended, on the loop's clock.
        keys: the key of each try.
    """

    call: WantedCall
    end: str
    at_ms: float
    keys: tuple[str | None, ...]

    @property
    def tries(self) -> int:
        return len(self.keys)

    def __str__(self) -> str:
        tries = "1 try" if self.tries == 1 else f"{self.tries} tries"
        return f"{self.at_ms:>5.0f} ms  {self.call.intent}: {tries}, {self.end}"


class Loop:
    """Runs calls one after another under one policy: each start is allowed, waited for and counted here."""

    def __init__(
        self, tools: Tools, rules: Rules, policy: Policy, *, timeout_ms: int = 200, rng: random.Random | None = None
    ) -> None:
        self.now_ms = 0.0
        self.tools_started = 0
        self.writes_this_hour = 0
        self._tools, self._rules, self._policy = tools, rules, policy
        self._timeout_ms = timeout_ms
        self._rng = rng or random.Random(3)

    def run(self, calls: Sequence[WantedCall]) -> list[Outcome]:
        """Run every call; the order of the outcomes is that of the calls. Raises LoopRanAway."""
        return [self._run_one(call) for call in calls]

    def _run_one(self, call: WantedCall) -> Outcome:
        delay_ms, keys = 0.0, list[str | None]()
        while True:
            reason = self._rules.must_stop(self._state(call, delay_ms, len(keys)), self._policy)
            if reason:
                return self._outcome(call, reason, keys)
            self.now_ms += delay_ms
            keys.append(self._rules.key_for_try(call, len(keys) + 1) if call.takes_key else None)
            heard = self._start(call, keys[-1])
            if heard["ok"]:
                return self._outcome(call, "ok", keys)
            action = self._rules.decide(
                heard["error"], call.effect, call.takes_key, nothing_applied=heard.get("nothing_applied", False)
            )
            if action == "poll":
                return self._outcome(call, f"{heard['error']}, poll: {self._tools.poll(call, keys[-1])}", keys)
            if action not in TRY_AGAIN or (action == "retry_once" and len(keys) > 1):
                return self._outcome(call, f"{heard['error']}, {action}", keys)
            delay_ms = self._rules.next_delay(len(keys), self._policy, self._rng)
            if action.startswith("backoff"):
                delay_ms = max(delay_ms, heard.get("retry_after_ms", 0))

    def _state(self, call: WantedCall, delay_ms: float, tries: int) -> State:
        return State(
            self.now_ms, delay_ms, tries, self.tools_started, self.writes_this_hour, is_write=call.effect == "write"
        )

    def _start(self, call: WantedCall, key: str | None) -> Observation:
        if self.tools_started >= STARTS_AT_MOST:
            raise LoopRanAway(f"{STARTS_AT_MOST} tools were started: nothing in your rules stops the loop")
        self.tools_started += 1
        self.writes_this_hour += call.effect == "write"
        # A tool may use what is left of the batch, and no more.
        wait_ms = min(self._timeout_ms, self._policy.budget_ms - self.now_ms)
        took_ms, heard = self._tools.start(call, key, max(wait_ms, 0))
        self.now_ms += took_ms
        return heard

    def _outcome(self, call: WantedCall, end: str, keys: list[str | None]) -> Outcome:
        return Outcome(call, end, self.now_ms, tuple(keys))


class TimedTools:
    """Tools that take the next of ``durations`` (ms) on the loop's clock and answer ``data`` when they are done.

    Args:
        observe: the student's; it is told how long the tool took and how long somebody waited for it.
        limits: the byte and row limits of the tools.
    """

    def __init__(
        self, durations: Iterable[float], data: Any, observe: Callable[..., Observation], limits: Mapping[str, int]
    ) -> None:
        self._durations, self._data = iter(durations), data
        self._observe, self._limits = observe, limits

    def start(self, call: WantedCall, key: str | None, wait_ms: float) -> tuple[float, Observation]:
        took_ms = next(self._durations)
        return min(took_ms, wait_ms), self._observe(took_ms, self._data, {**self._limits, "timeout_ms": wait_ms})

    def poll(self, call: WantedCall, key: str | None) -> str:
        return "in_doubt"
