# loses: schema_first
# hint: effect_before_schema
# Makes the order as soon as the key is new, and looks at the schema after that.

# cell: decide
def decide(payload, store):
    def reject(status, reason):
        return status, {"decision": "REJECT", "reason": reason, "side_effect_counter": store.effects}

    args = payload.get("arguments") if isinstance(payload, dict) else None
    if not isinstance(args, dict) or payload.get("tool_name") != ALLOWED_TOOL:
        return reject(400, "unknown_tool_or_args")
    key = args.get("idempotency_key")
    if not isinstance(key, str):
        return reject(400, "schema")
    digest = canonical_digest(args)
    with store.lock:
        record = store.get(key)
        decision = "REPLAY_OK" if record else "APPLY"
        if record is None:
            record = {"arg_digest": digest, "order_id": store.apply(key, args.get("sku"), args.get("qty"))}
            if not fits_schema(args):
                return reject(400, "schema")
            store.put(key, record)
        if record["arg_digest"] != digest:
            return reject(409, "key_reuse_with_different_args")
        return 200, {"decision": decision, "side_effect_counter": store.effects, **record}
