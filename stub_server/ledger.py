"""The ledger: the server's own record of every side effect. It only ever grows."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

ORDER_TOOL = "create_lab_order"


class EffectLedger(Protocol):
    """What a stamp store needs of a ledger. A proxy over a socket offers the same two members."""

    @property
    def count(self) -> int: ...

    def apply(self, key: str, sku: str, qty: int) -> str: ...


@dataclass(frozen=True, slots=True)
class Effect:
    """One side effect that happened: which tool made it, under which key, and the order id it got."""

    tool: str
    key: str | None
    arguments: Mapping[str, Any]
    order_id: str

    def as_json(self) -> dict[str, Any]:
        return {
            "tool": self.tool,
            "key": self.key,
            "arguments": dict(self.arguments),
            "order_id": self.order_id,
        }


class Ledger:
    """Effects in memory, counted under a lock (spec 3, `GET /ledger`).

    Nothing here lowers the counter or removes a row: a wrong count is evidence. Grading starts the order ids
    at random, so that none can be guessed.

    Args:
        first_order: the number in the first order id; 1 gives `lab-1`.
    """

    def __init__(self, *, first_order: int = 1) -> None:
        self._lock = threading.Lock()
        self._first_order = first_order
        self._rows: list[Effect] = []
        self._first_by_key: dict[tuple[str, str], Effect] = {}

    @property
    def count(self) -> int:
        """Effects so far."""
        return len(self._rows)

    @property
    def rows(self) -> tuple[Effect, ...]:
        """Every effect recorded here, oldest first."""
        with self._lock:
            return tuple(self._rows)

    def apply(self, key: str, sku: str, qty: int) -> str:
        """Make one lab order and return its id. The same key twice makes two orders."""
        return self.record(ORDER_TOOL, key, {"sku": sku, "qty": qty})

    def record(self, tool: str, key: str | None, arguments: Mapping[str, Any]) -> str:
        """Record one effect of any tool and return its order id."""
        with self._lock:
            effect = Effect(tool, key, dict(arguments), f"lab-{self._first_order + len(self._rows)}")
            self._rows.append(effect)
            if key is not None:
                self._first_by_key.setdefault((tool, key), effect)
            return effect.order_id

    def find(self, tool: str, key: str) -> Effect | None:
        """The first effect of a tool under a key, or None where none was recorded."""
        return self._first_by_key.get((tool, key))
