# A frozen dataclass for the stamp and one for the answer.

# cell: decide
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Stamp:
    tool_name: str
    arg_digest: str
    idempotency_key: str


@dataclass(frozen=True)
class Applied:
    stamp: Stamp
    order_id: str


def answer(store, status, decision, **more):
    return status, {"decision": decision, "side_effect_counter": store.effects, **more}


def decide(payload, store):
    if not isinstance(payload, dict) or not isinstance(payload.get("arguments"), dict):
        return answer(store, 400, "REJECT", reason="unknown_tool_or_args")
    if payload.get("tool_name") != ALLOWED_TOOL:
        return answer(store, 400, "REJECT", reason="unknown_tool_or_args")
    args = payload["arguments"]
    if not fits_schema(args):
        return answer(store, 400, "REJECT", reason="schema")
    stamp = Stamp(ALLOWED_TOOL, canonical_digest(args), args["idempotency_key"])
    with store.lock:
        kept = store.get(stamp.idempotency_key)
        if kept is None:
            applied = Applied(stamp, store.apply(stamp.idempotency_key, args["sku"], args["qty"]))
            store.put(stamp.idempotency_key, asdict(applied))
            return answer(store, 200, "APPLY", arg_digest=stamp.arg_digest, order_id=applied.order_id)
        if Stamp(**kept["stamp"]) != stamp:
            return answer(store, 409, "REJECT", reason="key_reuse_with_different_args")
        return answer(store, 200, "REPLAY_OK", arg_digest=stamp.arg_digest, order_id=kept["order_id"])
