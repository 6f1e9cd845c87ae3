"""The drills of Lab 4, and a correct `decide` so that the server has something true to serve."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from stub_server import StampStore

DRILL_A: dict[str, Any] = {
    "tool_name": "create_lab_order",
    "arguments": {"sku": "SKU-9", "qty": 2, "idempotency_key": "intent-alpha-01"},
}


def order(key: str, qty: int = 2) -> dict[str, Any]:
    return {
        "tool_name": "create_lab_order",
        "arguments": {"sku": "SKU-9", "qty": qty, "idempotency_key": key},
    }


def decide_for_tests(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
    """A correct decide. The one for students stands in the solved notebook; this one only serves these tests."""

    def reject(status: int, reason: str) -> tuple[int, dict[str, Any]]:
        return status, {"decision": "REJECT", "reason": reason, "side_effect_counter": store.effects}

    arguments = payload.get("arguments") if isinstance(payload, dict) else None
    if not isinstance(arguments, dict) or payload.get("tool_name") != "create_lab_order":
        return reject(400, "unknown_tool_or_args")
    if set(arguments) != {"sku", "qty", "idempotency_key"} or type(arguments["qty"]) is not int:
        return reject(400, "schema")
    key, sku, qty = arguments["idempotency_key"], arguments["sku"], arguments["qty"]
    if not (isinstance(key, str) and 8 <= len(key) <= 64 and isinstance(sku, str) and 1 <= qty <= 20):
        return reject(400, "schema")
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    with store.lock:
        record = store.get(key)
        decision = "REPLAY_OK"
        if record is None:
            record = {"arg_digest": digest, "order_id": store.apply(key, sku, qty)}
            store.put(key, record)
            decision = "APPLY"
        if record["arg_digest"] != digest:
            return reject(409, "key_reuse_with_different_args")
        return 200, {"decision": decision, "side_effect_counter": store.effects, **record}
