# loses: unknown_tool, per_tool_cap, total_cap, depth_cap, charging, decision_rows, denial_raises, own_state, no_clock
# hint: always_admits

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        self.total_calls += 1
        self.per_tool[tool] = self.per_tool.get(tool, 0) + 1
        self.depth = max(self.depth, depth)
        self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})
