# loses: host_key
# hint: request_without_key
# Sends what it has and lets the stub complain.

# cell: host-write
def host_write(tool_json, client):
    args = tool_json["arguments"]
    stamp = {
        "tool_name": tool_json["tool_name"],
        "arg_digest": canonical_digest(args),
        "idempotency_key": args.get("idempotency_key"),
    }
    return {**client.post("/tool", json=tool_json).json(), "stamp": stamp}
