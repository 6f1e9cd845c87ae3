# loses: denial_raises
# hint: row_without_raise

# cell: budget
class Budget(ToolBudget):
    def reason(self, tool, depth):
        tools = self.permit["tools"]
        if tool not in tools:
            return "unknown_tool"
        if self.per_tool.get(tool, 0) >= tools[tool]["max_calls"]:
            return "per_tool_cap"
        if self.total_calls >= self.permit["max_total_calls"]:
            return "total_cap"
        return "depth_cap" if depth > self.permit["max_depth"] else "admit"

    def admit(self, tool, args, *, depth):
        reason = self.reason(tool, depth)
        self.decisions.append({"tool": tool, "ok": reason == "admit", "reason": reason})
        if reason == "admit":
            self.total_calls += 1
            self.per_tool[tool] = self.per_tool.get(tool, 0) + 1
            self.depth = max(self.depth, depth)
