"""The drills of Lab 4, and the solved notebook's `decide`, so that the server has something true to serve."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from stub_server import Decide
from tests.solved import solved_namespace

DRILL_A: dict[str, Any] = {
    "tool_name": "create_lab_order",
    "arguments": {"sku": "SKU-9", "qty": 2, "idempotency_key": "intent-alpha-01"},
}
DRILL_A_BYTES = json.dumps(DRILL_A).encode()


def order(key: str, qty: int = 2) -> dict[str, Any]:
    return {
        "tool_name": "create_lab_order",
        "arguments": {"sku": "SKU-9", "qty": qty, "idempotency_key": key},
    }


@cache
def solved_decide() -> Decide:
    decide: Decide = solved_namespace("lab4_stamp_card")["decide"]
    return decide
