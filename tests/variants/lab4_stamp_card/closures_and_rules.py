# Rules as a list of closures; the first that complains wins.

# cell: fits-schema
def text(shortest, longest):
    return lambda value: isinstance(value, str) and shortest <= len(value) <= longest


def whole_number(smallest, largest):
    return lambda value: type(value) is int and smallest <= value <= largest


RULES = {"sku": text(1, 32), "qty": whole_number(1, 20), "idempotency_key": text(8, 64)}


def fits_schema(args):
    return args.keys() == RULES.keys() and all(rule(args[name]) for name, rule in RULES.items())

# cell: host-write
def stamp_of(tool_json):
    try:
        key = tool_json["arguments"]["idempotency_key"]
    except KeyError:
        raise ValueError("fail closed") from None
    return {
        "tool_name": tool_json["tool_name"],
        "arg_digest": canonical_digest(tool_json["arguments"]),
        "idempotency_key": key,
    }


def host_write(tool_json, client):
    stamp = stamp_of(tool_json)
    request = client.build_request(
        "POST", "/tool", content=json.dumps(tool_json), headers={"Content-Type": "application/json"}
    )
    body = client.send(request).json()
    body["stamp"] = stamp
    return body
