# loses: decision_rows
# hint: no_row_on_denial

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        tools = self.permit["tools"]
        if tool not in tools:
            raise BudgetDenied("unknown_tool")
        used = self.per_tool.get(tool, 0)
        if used >= tools[tool]["max_calls"]:
            raise BudgetDenied("per_tool_cap")
        if self.total_calls >= self.permit["max_total_calls"]:
            raise BudgetDenied("total_cap")
        if depth > self.permit["max_depth"]:
            raise BudgetDenied("depth_cap")
        self.total_calls += 1
        self.per_tool[tool] = used + 1
        self.depth = max(self.depth, depth)
        self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})
