# Prints, logs and warns on the way; that costs nothing.

# cell: canonical-digest
import logging
import warnings

logging.basicConfig(level=logging.INFO)


def canonical_digest(args):
    text = json.dumps(args, sort_keys=True, separators=(",", ":"))
    print("hashing", len(text), "characters")
    return hashlib.sha256(text.encode()).hexdigest()

# cell: decide
def decide(payload, store):
    def reject(status, reason):
        return status, {"decision": "REJECT", "reason": reason, "side_effect_counter": store.effects}

    logging.info("asked with a %s", type(payload).__name__)
    args = payload.get("arguments") if isinstance(payload, dict) else None
    if not isinstance(args, dict) or payload.get("tool_name") != ALLOWED_TOOL:
        return reject(400, "unknown_tool_or_args")
    if not fits_schema(args):
        warnings.warn("arguments do not fit", stacklevel=2)
        return reject(400, "schema")
    key, digest = args["idempotency_key"], canonical_digest(args)
    print("looking up", key)
    with store.lock:
        record = store.get(key)
        decision = "REPLAY_OK" if record else "APPLY"
        if record is None:
            record = {"arg_digest": digest, "order_id": store.apply(key, args["sku"], args["qty"])}
            store.put(key, record)
        if record["arg_digest"] != digest:
            return reject(409, "key_reuse_with_different_args")
        return 200, {"decision": decision, "side_effect_counter": store.effects, **record}
