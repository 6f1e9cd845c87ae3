# Hands every request to one worker thread, so that nothing overlaps.

# cell: decide
from concurrent.futures import ThreadPoolExecutor

WORKER = ThreadPoolExecutor(max_workers=1)


def decide_alone(payload, store):
    def reject(status, reason):
        return status, {"decision": "REJECT", "reason": reason, "side_effect_counter": store.effects}

    args = payload.get("arguments") if isinstance(payload, dict) else None
    if not isinstance(args, dict) or payload.get("tool_name") != ALLOWED_TOOL:
        return reject(400, "unknown_tool_or_args")
    if not fits_schema(args):
        return reject(400, "schema")
    key, digest = args["idempotency_key"], canonical_digest(args)
    record = store.get(key)
    decision = "REPLAY_OK" if record else "APPLY"
    if record is None:
        record = {"arg_digest": digest, "order_id": store.apply(key, args["sku"], args["qty"])}
        store.put(key, record)
    if record["arg_digest"] != digest:
        return reject(409, "key_reuse_with_different_args")
    return 200, {"decision": decision, "side_effect_counter": store.effects, **record}


def decide(payload, store):
    return WORKER.submit(decide_alone, payload, store).result()
