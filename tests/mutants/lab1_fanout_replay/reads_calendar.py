# loses: no_clock
# hint: reads_clock

# cell: budget
import datetime


class Budget(ToolBudget):
    hour = None

    def admit(self, tool, args, *, depth):
        hour = datetime.datetime.now().replace(minute=0, second=0, microsecond=0)
        if hour != self.hour:
            self.hour = hour
            self.per_tool = {}
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
        self.depth = max(self.depth, depth)
        self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})
