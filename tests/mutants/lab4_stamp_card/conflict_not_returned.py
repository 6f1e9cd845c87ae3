# loses: host_reply
# hint: conflict_not_returned
# Treats every status from 400 up as an error to raise.

# cell: host-write
def host_write(tool_json, client):
    args = tool_json["arguments"]
    if "idempotency_key" not in args:
        raise ValueError("no idempotency_key: nothing is sent")
    stamp = {
        "tool_name": tool_json["tool_name"],
        "arg_digest": canonical_digest(args),
        "idempotency_key": args["idempotency_key"],
    }
    reply = client.post("/tool", json=tool_json)
    reply.raise_for_status()
    return {**reply.json(), "stamp": stamp}
