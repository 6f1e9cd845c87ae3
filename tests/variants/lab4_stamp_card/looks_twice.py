# Looks without the lock first, and again under it before it makes an order.

# cell: decide
def decide(payload, store):
    def reject(status, reason):
        return status, {"decision": "REJECT", "reason": reason, "side_effect_counter": store.effects}

    def known(record, decision="REPLAY_OK"):
        if record["arg_digest"] != digest:
            return reject(409, "key_reuse_with_different_args")
        return 200, {"decision": decision, "side_effect_counter": store.effects, **record}

    args = payload.get("arguments") if isinstance(payload, dict) else None
    if not isinstance(args, dict) or payload.get("tool_name") != ALLOWED_TOOL:
        return reject(400, "unknown_tool_or_args")
    if not fits_schema(args):
        return reject(400, "schema")
    key, digest = args["idempotency_key"], canonical_digest(args)
    if (record := store.get(key)) is not None:
        return known(record)
    with store.lock:
        if (record := store.get(key)) is not None:
            return known(record)
        record = {"arg_digest": digest, "order_id": store.apply(key, args["sku"], args["qty"])}
        store.put(key, record)
        return known(record, "APPLY")
