# loses: charging
# hint: depth_counted

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        tools = self.permit["tools"]
        if tool not in tools:
            self.deny(tool, "unknown_tool")
        used = self.per_tool.get(tool, 0)
        if used >= tools[tool]["max_calls"]:
            self.deny(tool, "per_tool_cap")
        if self.total_calls >= self.permit["max_total_calls"]:
            self.deny(tool, "total_cap")
        if depth > self.permit["max_depth"]:
            self.deny(tool, "depth_cap")
        self.total_calls += 1
        self.per_tool[tool] = used + 1
        self.depth += 1
        self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})
