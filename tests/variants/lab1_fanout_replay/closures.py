# A closure looks for the reason; the row is one dict written in one place.

# cell: test_caps
def test_caps():
    def denial(budget, tool, times, depth=1):
        reason = None
        for _ in range(times):
            try:
                budget.admit(tool, {"q": "anything"}, depth=depth)
            except BudgetDenied as denied:
                reason = str(denied)
        return reason

    assert denial(Budget(PERMIT), "search", 2) is None
    assert denial(Budget(PERMIT), "search", 3) == "per_tool_cap"
    assert denial(Budget(PERMIT), "mail", 1) == "unknown_tool"
    assert denial(Budget(PERMIT), "search", 1, depth=3) == "depth_cap"

# cell: budget
def find_reason(permit):
    def reason(tool, used, total, depth):
        spec = permit["tools"].get(tool)
        if spec is None:
            return "unknown_tool"
        if spec["max_calls"] - used <= 0:
            return "per_tool_cap"
        if permit["max_total_calls"] - total <= 0:
            return "total_cap"
        return None if depth <= permit["max_depth"] else "depth_cap"

    return reason


class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        used = self.per_tool.get(tool, 0)
        reason = find_reason(self.permit)(tool, used, self.total_calls, depth)
        self.decisions.append({"reason": reason or "admit", "ok": reason is None, "tool": tool})
        if reason:
            raise BudgetDenied(reason)
        self.total_calls, self.per_tool[tool] = self.total_calls + 1, used + 1
        if depth > self.depth:
            self.depth = depth

# cell: replay
def replay(trace, budget, *, by_step=False):
    positions = iter(range(1, len(trace["steps"]) + 1))

    def depth_of(step):
        position = next(positions)
        return position if by_step else step.get("depth", 1)

    try:
        for step in trace["steps"]:
            budget.admit(step["tool"], step.get("args", {}), depth=depth_of(step))
    except BudgetDenied:
        pass
    return list(budget.decisions)
