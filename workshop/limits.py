"""Lab 3's numbers: the strict limits, what a too large answer advises, and a search that counts what it sends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

STRICT_LIMITS: Mapping[str, int] = {"timeout_ms": 200, "max_bytes": 40, "max_rows": 10}
"""The classroom's limits; a tool that was registered without a number has this one."""

BYTES_HINT = "ask for fewer fields, or for a shorter text"
ROWS_HINT = "ask for fewer rows"


class Catalogue:
    """A search over many rows. ``bytes_sent`` counts what went over the wire, whoever throws it away later."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self.bytes_sent = 0

    def search(self, *, max_rows: int | None = None) -> list[str]:
        """The rows found, at most ``max_rows`` of them: that is a handler cap."""
        found = [f"row {number}" for number in range(self._rows if max_rows is None else min(max_rows, self._rows))]
        self.bytes_sent += len(json.dumps(found))
        return found


def in_context(observation: Mapping[str, Any]) -> int:
    """How many bytes of the context window an observation takes."""
    return len(json.dumps(observation, ensure_ascii=False).encode("utf-8"))
