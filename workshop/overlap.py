"""Lab 4's stamp stores that make a race certain, and many requests that start at once (spec 2, overlap)."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

from stub_server.ledger import EffectLedger
from stub_server.write_once import Decide, Record, StampStore
from workshop.together import start_together

# Waits are counted in rounds: on a machine that starves the process, rounds get longer and none is lost.
ROUND_S = 0.005
LOOK_UP_ROUNDS = 10
STEP_ROUNDS = 6
GIVE_UP_S = 3.0


class WatchedLock:
    """A store's lock that also tells how many wait for it, and in which turn the caller holds it."""

    def __init__(self, moved: threading.Condition, before_step: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._moved = moved
        self._before_step = before_step
        self._holder = 0
        self._turn = 0
        self.waiting = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        self._before_step()
        self._count(+1)
        try:
            is_held = self._lock.acquire(blocking, timeout)
        finally:
            self._count(-1)
        if is_held:
            self._turn += 1
            self._holder = threading.get_ident()
        return is_held

    def release(self) -> None:
        self._holder = 0
        self._lock.release()

    def locked(self) -> bool:
        return self._lock.locked()

    @property
    def turn_of_caller(self) -> int | None:
        return self._turn if self._holder == threading.get_ident() else None

    def _count(self, change: int) -> None:
        with self._moved:
            self.waiting += change
            self._moved.notify_all()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


@dataclass(frozen=True)
class LookUp:
    """A thread's last look-up: whether it found a record, and the turn in which it held the lock then."""

    has_found: bool
    turn: int | None


class SlowLookUpStore(StampStore):
    """Holds each look-up until all requests look up too, wait for the lock or are done, or a short time has passed.

    Without a lock they all find nothing, for certain. With the store's lock nothing waits for the time; with
    another sound lock one look-up does. A record on its way is waited for: that fault is LateRecordStore's.
    """

    def __init__(self, ledger: EffectLedger, requests: int) -> None:
        super().__init__(ledger)
        self.requests = requests
        self.orders_for_a_new_key = 0
        self._moved = threading.Condition()
        self._watched = WatchedLock(self._moved, self._before_step)
        self.lock = cast(threading.Lock, self._watched)
        self._looked = self._looking = self._done = 0
        self._have_all_come = False
        self._last: dict[int, LookUp] = {}
        self._unrecorded: set[int] = set()

    def get(self, key: str) -> Record | None:
        me = threading.get_ident()
        with self._moved:
            self._before_look_up(me)
            found = super().get(key)
            self._looked += 1
            self._last[me] = LookUp(found is not None, self._watched.turn_of_caller)
            self._looking += 1
            self._moved.notify_all()
            self._wait(self._is_everybody_here, LOOK_UP_ROUNDS)
            self._have_all_come = True
            self._looking -= 1
        return found

    def apply(self, key: str, sku: str, qty: int) -> str:
        me = threading.get_ident()
        self._before_step()
        order_id = super().apply(key, sku, qty)
        with self._moved:
            last = self._last.get(me)
            if last is None or not last.has_found:
                self.orders_for_a_new_key += 1
                self._unrecorded.add(me)
        return order_id

    def put(self, key: str, record: Record) -> None:
        me = threading.get_ident()
        self._before_step()
        super().put(key, record)
        with self._moved:
            self._last[me] = LookUp(has_found=True, turn=None)
            self._unrecorded.discard(me)
            self._moved.notify_all()

    def finish(self) -> None:
        """Say that one request has its reply: nobody need wait for it."""
        with self._moved:
            self._done += 1
            self._unrecorded.discard(threading.get_ident())
            self._moved.notify_all()

    def _is_everybody_here(self) -> bool:
        return self._have_all_come or self._looking + self._watched.waiting + self._done >= self.requests

    def _before_look_up(self, me: int) -> None:
        self._wait(lambda: not self._unrecorded - {me}, STEP_ROUNDS)

    def _before_step(self) -> None:
        """Called before the caller applies, records or asks for the lock."""

    def _wait(self, is_over: Callable[[], bool], rounds: int) -> None:
        began = time.monotonic()
        while rounds and not is_over():
            self._moved.wait(ROUND_S)
            now = time.monotonic()
            if now - began >= ROUND_S:
                rounds, began = rounds - 1, now


class LateRecordStore(SlowLookUpStore):
    """Holds each step after a look-up that found nothing, where the lock was let go since, until all have looked up.

    So between such a look-up and its record come all the other look-ups, for certain. Who has held the store's
    lock since the look-up never waits; under another sound lock each step waits a short time.
    """

    def _before_look_up(self, me: int) -> None:
        pass

    def _before_step(self) -> None:
        with self._moved:
            last = self._last.get(threading.get_ident())
            if last is None or last.has_found or (last.turn is not None and last.turn == self._watched.turn_of_caller):
                return
            self._wait(lambda: self._looked + self._done >= self.requests, STEP_ROUNDS)


STORES: dict[str, type[SlowLookUpStore]] = {"look_up": SlowLookUpStore, "record": LateRecordStore}
"""The stores by the step that they hold."""


def ask_at_once(decide: Decide, payload: Any, store: SlowLookUpStore) -> list[Any]:
    """What ``decide`` returns to as many threads as the store expects, started together.

    Raises what one of them raised, or TimeoutError where one never came back.
    """

    def ask() -> Any:
        try:
            return decide(copy.deepcopy(payload), store)
        finally:
            store.finish()

    return start_together(ask, store.requests, within_s=GIVE_UP_S)
