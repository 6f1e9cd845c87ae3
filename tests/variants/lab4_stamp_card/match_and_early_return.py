# Pattern matching, and a return as soon as the answer is known.

# cell: fits-schema
def fits_schema(args):
    match args:
        case {"sku": str(sku), "qty": int(qty), "idempotency_key": str(key)} if len(args) == 3:
            if isinstance(qty, bool):
                return False
            return 1 <= len(sku) <= 32 and 1 <= qty <= 20 and 8 <= len(key) <= 64
    return False

# cell: decide
def decide(payload, store):
    match payload:
        case {"tool_name": "create_lab_order", "arguments": dict(args)}:
            pass
        case _:
            return 400, {"decision": "REJECT", "reason": "unknown_tool_or_args", "side_effect_counter": store.effects}
    if not fits_schema(args):
        return 400, {"decision": "REJECT", "reason": "schema", "side_effect_counter": store.effects}
    store.lock.acquire()
    try:
        known = store.get(args["idempotency_key"])
        digest = canonical_digest(args)
        match known:
            case None:
                order_id = store.apply(args["idempotency_key"], args["sku"], args["qty"])
                store.put(args["idempotency_key"], {"digest": digest, "order": order_id})
                word = "APPLY"
            case {"digest": first, "order": order_id} if first == digest:
                word = "REPLAY_OK"
            case _:
                reason = "key_reuse_with_different_args"
                return 409, {"decision": "REJECT", "reason": reason, "side_effect_counter": store.effects}
        return 200, {
            "decision": word, "order_id": order_id, "arg_digest": digest, "side_effect_counter": store.effects
        }
    finally:
        store.lock.release()
