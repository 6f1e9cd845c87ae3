# loses: one_request
# hint: error_status_ignored

# cell: plan-once
def plan_once(messages, budget, client, *, depth=1):
    reply = client.post("/chat/completions", json={"model": MODEL, "messages": messages, "tools": TOOLS})
    proposed = reply.json()["choices"][0]["message"].get("tool_calls") or []
    if len(proposed) > budget.permit["max_parallel"]:
        reason = "parallel_not_implemented"
        budget.decisions += [{"tool": each["function"]["name"], "ok": False, "reason": reason} for each in proposed]
        raise BudgetDenied(reason)
    calls = []
    for each in proposed:
        name = each["function"]["name"]
        try:
            args = parse_json(each["function"]["arguments"])
        except ValueError:
            args = None
        if not isinstance(args, dict):
            budget.deny(name, "unparseable_tool_call")
        budget.admit(name, args, depth=depth)
        calls.append(Call(each["id"], name, args))
    return calls
