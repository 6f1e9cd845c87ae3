# loses: unknown_tool, per_tool_cap, total_cap, depth_cap, charging, decision_rows, denial_raises, own_state, no_clock
# hint: printed_permit_read

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        tools = PERMIT["tools"]
        if tool not in tools:
            self.deny(tool, "unknown_tool")
        used = self.per_tool.get(tool, 0)
        if used >= tools[tool]["max_calls"]:
            self.deny(tool, "per_tool_cap")
        if self.total_calls >= PERMIT["max_total_calls"]:
            self.deny(tool, "total_cap")
        if depth > PERMIT["max_depth"]:
            self.deny(tool, "depth_cap")
        self.total_calls += 1
        self.per_tool[tool] = used + 1
        self.depth = max(self.depth, depth)
        self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})
