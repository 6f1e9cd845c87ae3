# loses: caller_key
# hint: missing_key_as_new
# Looks a missing key up as None, finds nothing, and takes it for a new one.

# cell: fits-schema
def fits_schema(args):
    if set(args) - {"idempotency_key"} != {"sku", "qty"}:
        return False
    sku, qty, key = args["sku"], args["qty"], args.get("idempotency_key")
    return (
        isinstance(sku, str)
        and 1 <= len(sku) <= 32
        and type(qty) is int
        and 1 <= qty <= 20
        and (key is None or (isinstance(key, str) and 8 <= len(key) <= 64))
    )

# cell: decide
def decide(payload, store):
    def reject(status, reason):
        return status, {"decision": "REJECT", "reason": reason, "side_effect_counter": store.effects}

    args = payload.get("arguments") if isinstance(payload, dict) else None
    if not isinstance(args, dict) or payload.get("tool_name") != ALLOWED_TOOL:
        return reject(400, "unknown_tool_or_args")
    if not fits_schema(args):
        return reject(400, "schema")
    key, digest = args.get("idempotency_key"), canonical_digest(args)
    with store.lock:
        record = store.get(key)
        decision = "REPLAY_OK" if record else "APPLY"
        if record is None:
            record = {"arg_digest": digest, "order_id": store.apply(key, args["sku"], args["qty"])}
            store.put(key, record)
        if record["arg_digest"] != digest:
            return reject(409, "key_reuse_with_different_args")
        return 200, {"decision": decision, "side_effect_counter": store.effects, **record}
