"""The stamp store: what a student's `decide(payload, store)` is given to keep its stamps in."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

from stub_server.ledger import EffectLedger

Record = dict[str, Any]


class StampStore:
    """Records by idempotency key, and the only door to the side effect (spec 2, Lab 4).

    The store does not deduplicate: two calls of `apply` are two orders. Looking up, applying and recording
    under one hold of `lock` is the student's work, and the lesson. `get` and `put` are separate steps on
    purpose: a subclass may hold them to make a race certain.

    Attributes:
        lock: a plain mutual-exclusion lock; `with store.lock:` holds it.
    """

    def __init__(self, ledger: EffectLedger) -> None:
        self.lock = threading.Lock()
        self._ledger = ledger
        self._records: dict[str, Record] = {}

    @property
    def effects(self) -> int:
        """The side effects the ledger has counted."""
        return self._ledger.count

    def get(self, key: str) -> Record | None:
        """A copy of the record kept under a key, or None. Changing the copy changes nothing here."""
        return copy.deepcopy(self._records.get(key))

    def put(self, key: str, record: Record) -> None:
        """Keep a copy of a record under a key, in place of any earlier one."""
        self._records[key] = copy.deepcopy(record)

    def apply(self, key: str, sku: str, qty: int) -> str:
        """Make the order, once per call, and return its id (`lab-1`, `lab-2`, …)."""
        return self._ledger.apply(key, sku, qty)


Decide = Callable[[Any, StampStore], tuple[int, Record]]
