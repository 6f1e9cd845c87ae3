# Shapes are matched: the permit, the URL and the reply.

# cell: load-permit
def load_permit(path):
    def known(part, names):
        return all(name in names or name.startswith("x_") for name in part)

    def counts(part):
        return all(type(value) is int and value >= 0 for name, value in part.items() if name in COUNTS)

    def sound(tool):
        match tool:
            case {"max_calls": _, "allowed_hosts": [*hosts]}:
                return known(tool, TOOL_KEYS) and counts(tool) and all(map(lower, hosts))
            case {"max_calls": _} if "allowed_hosts" not in tool:
                return known(tool, TOOL_KEYS) and counts(tool)
            case _:
                return False

    def lower(host):
        return type(host) is str and not any(sign.isupper() for sign in host)

    try:
        with open(path, encoding="utf-8-sig") as file:
            permit = parse_json(file.read())
    except (OSError, ValueError) as problem:
        raise BudgetDenied("unreadable") from problem
    match permit:
        case {"max_total_calls": _, "max_depth": _, "max_parallel": _, "tools": dict() as tools}:
            if known(permit, REQUIRED) and counts(permit) and all(map(sound, tools.values())):
                return permit
            raise BudgetDenied("something in the permit is off")
        case {}:
            raise BudgetDenied("missing or wrong: " + ", ".join(sorted(REQUIRED - set(permit)) or ["tools"]))
    raise BudgetDenied("no object")

# cell: host-is-allowed
def host_is_allowed(url, allowed):
    match split_url(url):
        case None:
            return False
        case parts if "@" in parts.authority or parts.scheme not in {"http", "https"}:
            return False
        case parts:
            odd = any(sign in "\\\x7f" or sign <= " " or sign.isspace() or "\x80" <= sign <= "\x9f" for sign in url)
            plain = parts.host.isascii() and not parts.host.endswith(".")
            return plain and not odd and parts.host.casefold() in allowed

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        match count_denial(self, tool, depth):
            case None:
                pass
            case reason:
                self.deny(tool, reason)
        match self.permit:
            case {"max_parallel": 1}:
                entry = self.permit["tools"][tool]
            case _:
                self.deny(tool, "parallel_not_implemented")
        match args, self.size(args):
            case dict(), int(size) if size <= entry.get("max_args_bytes", 4096):
                pass
            case dict(), int():
                self.deny(tool, "args_too_large")
            case _:
                self.deny(tool, "args_invalid")
        if tool == "http_get" and not host_is_allowed(args.get("url"), entry.get("allowed_hosts", [])):
            self.deny(tool, "host_not_allowed")
        charge(self, tool, depth)

    @staticmethod
    def size(args):
        try:
            return len(json.dumps(args, sort_keys=True, allow_nan=False).encode())
        except (TypeError, ValueError):
            return None

# cell: plan-once
def plan_once(messages, budget, client, *, depth=1):
    reply = client.post("/chat/completions", json={"model": MODEL, "messages": messages, "tools": TOOLS})
    match reply.raise_for_status().json():
        case {"choices": [{"message": {"tool_calls": [_, *_] as proposed}}, *_]}:
            pass
        case {"choices": [_, *_]}:
            return []
    if len(proposed) > budget.permit["max_parallel"]:
        for each in proposed:
            try:
                budget.deny(each["function"]["name"], "parallel_not_implemented")
            except BudgetDenied as denied:
                last = denied
        raise last
    calls = []
    for each in proposed:
        match each:
            case {"id": id, "function": {"name": name, "arguments": text}}:
                try:
                    args = parse_json(text)
                except ValueError:
                    args = None
                match args:
                    case dict():
                        budget.admit(name, args, depth=depth)
                    case _:
                        budget.deny(name, "unparseable_tool_call")
                calls += [Call(id, name, args)]
    return calls
