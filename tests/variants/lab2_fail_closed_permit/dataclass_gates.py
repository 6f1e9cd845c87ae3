# Gates and rules are objects in a list; the first that says no names the reason.

# cell: load-permit
from dataclasses import dataclass
from typing import Any, Callable


@dataclass(frozen=True)
class Rule:
    name: str
    holds: Callable[[Any], bool]


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_host_list(value):
    return isinstance(value, list) and all(isinstance(one, str) and one.lower() == one for one in value)


def is_tool(value):
    return isinstance(value, dict) and "max_calls" in value and not faults(value, TOOL_RULES)


TOOL_RULES = [Rule("max_calls", is_count), Rule("max_args_bytes", is_count), Rule("allowed_hosts", is_host_list)]
PERMIT_RULES = [
    Rule("max_total_calls", is_count),
    Rule("max_depth", is_count),
    Rule("max_parallel", is_count),
    Rule("tools", lambda value: isinstance(value, dict) and all(is_tool(tool) for tool in value.values())),
]


def faults(part, rules):
    holds = {rule.name: rule.holds for rule in rules}
    return [
        name
        for name, value in part.items()
        if not name.startswith("x_") and not (name in holds and holds[name](value))
    ]


def load_permit(path):
    try:
        permit = parse_json(Path(path).read_bytes().decode("utf-8-sig"))
    except Exception as problem:
        raise BudgetDenied(str(problem))
    if not isinstance(permit, dict):
        raise BudgetDenied("no object")
    found = [rule.name for rule in PERMIT_RULES if rule.name not in permit] or faults(permit, PERMIT_RULES)
    if found:
        raise BudgetDenied("off: " + ", ".join(found))
    return permit

# cell: host-is-allowed
HOST_RULES = [
    Rule("scheme", lambda url: split_url(url).scheme in ("http", "https")),
    Rule("user information", lambda url: "@" not in split_url(url).authority),
    Rule("odd characters", lambda url: url.isprintable() and " " not in url and "\\" not in url),
    Rule("other letters", lambda url: split_url(url).host.isascii()),
    Rule("dot", lambda url: not split_url(url).host.endswith(".")),
]


def host_is_allowed(url, allowed):
    if split_url(url) is None:
        return False
    return all(rule.holds(url) for rule in HOST_RULES) and split_url(url).host.lower() in allowed

# cell: budget
@dataclass(frozen=True)
class Gate:
    reason: str
    is_open: Callable[[dict, str, Any], bool]


def as_text(args):
    try:
        return json.dumps(args, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError):
        return None


GATES = [
    Gate("parallel_not_implemented", lambda permit, tool, args: permit["max_parallel"] == 1),
    Gate("args_invalid", lambda permit, tool, args: isinstance(args, dict) and as_text(args) is not None),
    Gate(
        "args_too_large",
        lambda permit, tool, args: len(as_text(args).encode()) <= permit["tools"][tool].get("max_args_bytes", 4096),
    ),
    Gate(
        "host_not_allowed",
        lambda permit, tool, args: tool != "http_get"
        or host_is_allowed(args.get("url"), permit["tools"][tool].get("allowed_hosts", [])),
    ),
]


class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        if reason := count_denial(self, tool, depth):
            self.deny(tool, reason)
        for gate in GATES:
            if not gate.is_open(self.permit, tool, args):
                self.deny(tool, gate.reason)
        charge(self, tool, depth)
