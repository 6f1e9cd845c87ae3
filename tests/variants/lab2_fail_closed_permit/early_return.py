# Everything in a row, each rule with its own way out; the reply is read with json and not by the client.

# cell: load-permit
def load_permit(path):
    path = Path(path)
    if not path.is_file():
        raise BudgetDenied("no such file")
    raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    try:
        permit = parse_json(raw.decode())
    except ValueError:
        raise BudgetDenied("not JSON, or JSON with two meanings")
    if type(permit) is not dict:
        raise BudgetDenied("no object")
    for key in ("max_total_calls", "max_depth", "max_parallel", "tools"):
        if key not in permit:
            raise BudgetDenied(f"missing key: {key}")
    if type(permit["tools"]) is not dict:
        raise BudgetDenied("tools is no object")
    for part in [permit, *permit["tools"].values()]:
        if type(part) is not dict:
            raise BudgetDenied("a tool is no object")
        allowed = REQUIRED if part is permit else TOOL_KEYS
        for key in part:
            if key not in allowed and key[:2] != "x_":
                raise BudgetDenied(f"what is {key}?")
            if key in COUNTS and (type(part[key]) is not int or part[key] <= -1):
                raise BudgetDenied(f"{key} must be a count")
        if part is not permit and "max_calls" not in part:
            raise BudgetDenied("missing key: max_calls")
        if part is not permit and "allowed_hosts" in part:
            if type(part["allowed_hosts"]) is not list:
                raise BudgetDenied("allowed_hosts must be a list")
            for host in part["allowed_hosts"]:
                if type(host) is not str or host.lower() != host:
                    raise BudgetDenied("a host must be a lower-case string")
    return permit

# cell: host-is-allowed
def host_is_allowed(url, allowed):
    if not isinstance(url, str):
        return False
    if "\\" in url:
        return False
    for sign in url:
        if sign.isspace() or ord(sign) < 33 or 127 <= ord(sign) <= 160:
            return False
    parts = split_url(url)
    if parts is None:
        return False
    if parts.scheme != "http" and parts.scheme != "https":
        return False
    if "@" in parts.authority:
        return False
    host = parts.host
    if host == "" or host[-1] == "." or any(ord(sign) > 127 for sign in host):
        return False
    return host.lower() in allowed

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        reason = count_denial(self, tool, depth)
        if reason is not None:
            self.deny(tool, reason)
        if self.permit["max_parallel"] != 1:
            self.deny(tool, "parallel_not_implemented")
        if type(args) is not dict:
            self.deny(tool, "args_invalid")
        try:
            text = json.dumps(args, sort_keys=True, allow_nan=False)
        except (TypeError, ValueError):
            self.deny(tool, "args_invalid")
        spec = self.permit["tools"][tool]
        if len(text) > spec.get("max_args_bytes", 4096):
            self.deny(tool, "args_too_large")
        if tool == "http_get":
            if not host_is_allowed(args.get("url", ""), spec.get("allowed_hosts", ())):
                self.deny(tool, "host_not_allowed")
        charge(self, tool, depth)

# cell: plan-once
def plan_once(messages, budget, client, *, depth=1):
    response = client.post("/chat/completions", json=dict(model=MODEL, messages=messages, tools=TOOLS))
    if response.status_code != 200:
        raise RuntimeError(f"the planner said {response.status_code}")
    message = json.loads(response.text)["choices"][0]["message"]
    if not message.get("tool_calls"):
        return []
    functions = [call["function"] for call in message["tool_calls"]]
    if len(functions) > budget.permit["max_parallel"]:
        for function in functions:
            row = {"tool": function["name"], "ok": False, "reason": "parallel_not_implemented"}
            budget.decisions.append(row)
        raise BudgetDenied("parallel_not_implemented")
    admitted = []
    for call, function in zip(message["tool_calls"], functions):
        try:
            args = parse_json(function["arguments"])
        except ValueError:
            budget.deny(function["name"], "unparseable_tool_call")
        if type(args) is not dict:
            budget.deny(function["name"], "unparseable_tool_call")
        budget.admit(function["name"], args, depth=depth)
        admitted.append(Call(id=call["id"], name=function["name"], args=args))
    return admitted
