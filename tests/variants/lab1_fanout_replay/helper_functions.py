# Helper functions, and a test written with pytest's own words where it is installed.

# cell: test_caps
def was_denied(budget, tool):
    try:
        budget.admit(tool, {}, depth=1)
    except BudgetDenied:
        return True
    return False


def test_caps():
    budget = Budget(PERMIT)
    answers = [was_denied(budget, "http_get") for _ in range(4)]
    assert answers == [False, False, True, True], answers
    assert budget.per_tool == {"http_get": 2}

# cell: budget
def is_used_up(count, cap):
    return count >= cap


class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        self.refuse_unknown(tool)
        self.refuse_used_up(tool)
        self.refuse_too_deep(tool, depth)
        self.charge(tool, depth)

    def refuse_unknown(self, tool):
        if tool not in self.permit["tools"]:
            self.deny(tool, "unknown_tool")

    def refuse_used_up(self, tool):
        if is_used_up(self.per_tool.setdefault(tool, 0), self.permit["tools"][tool]["max_calls"]):
            self.deny(tool, "per_tool_cap")
        if is_used_up(self.total_calls, self.permit["max_total_calls"]):
            self.deny(tool, "total_cap")

    def refuse_too_deep(self, tool, depth):
        if depth > self.permit["max_depth"]:
            self.deny(tool, "depth_cap")

    def charge(self, tool, depth):
        self.total_calls += 1
        self.per_tool[tool] += 1
        self.depth = max(self.depth, depth)
        self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})
