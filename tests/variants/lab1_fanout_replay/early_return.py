# A reason function that returns early, next to an __init__ of its own.

# cell: budget
class Budget(ToolBudget):
    def __init__(self, permit):
        super().__init__(permit)
        self.tools = permit["tools"]

    def _why_not(self, tool, depth):
        if tool not in self.tools:
            return "unknown_tool"
        if self._used(tool) >= self.tools[tool]["max_calls"]:
            return "per_tool_cap"
        if self.total_calls >= self.permit["max_total_calls"]:
            return "total_cap"
        if depth > self.permit["max_depth"]:
            return "depth_cap"

    def _used(self, tool):
        return len([row for row in self.decisions if row["ok"] and row["tool"] == tool])

    def admit(self, tool, args, *, depth):
        reason = self._why_not(tool, depth)
        if reason is not None:
            return self.deny(tool, reason)
        self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})
        self.per_tool[tool] = self._used(tool)
        self.total_calls = len([row for row in self.decisions if row["ok"]])
        self.depth = max(self.depth, depth)

# cell: test_caps
def test_caps():
    budget = Budget(PERMIT)
    for _ in range(2):
        assert budget.admit("http_get", {"url": "https://example.invalid/a"}, depth=1) is None
    denied = False
    try:
        budget.admit("http_get", {"url": "https://example.invalid/a"}, depth=1)
    except BudgetDenied as error:
        denied = error.args == ("per_tool_cap",)
    assert denied and len(budget.decisions) == 3

# cell: diff
def diff(a, b):
    found = []
    for place in range(max(len(a), len(b))):
        if place >= len(a) or place >= len(b):
            found.append(place)
            continue
        left, right = a[place], b[place]
        if (left["tool"], left["ok"], left["reason"]) != (right["tool"], right["ok"], right["reason"]):
            found.append(place)
    return found
