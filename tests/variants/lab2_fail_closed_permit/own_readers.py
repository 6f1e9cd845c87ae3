# Own readers for JSON and URLs: a pattern for the whole URL, json with its own hooks, sets for the keys.

# cell: load-permit
import re


def no_pair_twice(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands there twice")
    return dict(pairs)


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def load_strictly(text):
    return json.loads(text, object_pairs_hook=no_pair_twice, parse_constant=no_constant)


def load_permit(path):
    try:
        permit = load_strictly(Path(path).read_text("utf-8-sig"))
        missing = REQUIRED.difference(permit)
        assert not missing, f"missing {missing}"
        assert all(type(permit[key]) is int and permit[key] >= 0 for key in REQUIRED - {"tools"}), "a count is off"
        assert not [key for key in set(permit) - REQUIRED if not re.match("x_", key)], "an unknown key"
        for name, tool in permit["tools"].items():
            assert "max_calls" in tool, f"{name} has no max_calls"
            assert not [key for key in set(tool) - TOOL_KEYS if not re.match("x_", key)], "an unknown key"
            assert all(type(tool[key]) is int and tool[key] >= 0 for key in COUNTS & set(tool)), "a count is off"
            hosts = tool.get("allowed_hosts", [])
            assert type(hosts) is list, "no list of hosts"
            assert [host.lower() for host in hosts] == hosts, "a host with capitals"
    except Exception as problem:
        raise BudgetDenied(f"{type(problem).__name__}: {problem}") from None
    return permit

# cell: host-is-allowed
def host_is_allowed(url, allowed):
    form = r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]*[a-z0-9_-])(?::([0-9]{0,9}))?(?:[/?#][!-\[\]-~]*)?"
    found = re.fullmatch(form, url, re.IGNORECASE | re.ASCII) if isinstance(url, str) else None
    if not found or int(found[2] or 0) > 65535:
        return False
    return found[1].strip("[]").lower() in set(allowed)

# cell: plan-once
def plan_once(messages, budget, client, *, depth=1):
    def args_of(each):
        try:
            return load_strictly(each["function"]["arguments"])
        except (TypeError, ValueError):
            return None

    def admitted(each):
        name, args = each["function"]["name"], args_of(each)
        if not isinstance(args, dict):
            budget.deny(name, "unparseable_tool_call")
        budget.admit(name, args, depth=depth)
        return Call(each["id"], name, args)

    reply = client.post("/chat/completions", json={"messages": messages, "tools": TOOLS, "model": MODEL})
    assert reply.is_success, reply.status_code
    proposed = list(reply.json()["choices"][0]["message"].get("tool_calls") or ())
    if len(proposed) <= budget.permit["max_parallel"]:
        return [admitted(each) for each in proposed]
    budget.decisions.extend(
        dict(tool=each["function"]["name"], ok=False, reason="parallel_not_implemented") for each in proposed
    )
    raise BudgetDenied("parallel_not_implemented")
