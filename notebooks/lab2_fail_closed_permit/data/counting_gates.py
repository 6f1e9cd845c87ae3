"""Lab 1's counting gates, generated from its solved notebook: admit-one check --write."""

from workshop.budget import ToolBudget


class Budget(ToolBudget):
    """A budget with counting gates."""

    def admit(self, tool, args, *, depth):
        """Return for an admitted call; deny any other with self.deny(tool, reason).

        Gates in this order: unknown_tool, per_tool_cap, total_cap, depth_cap. The permit is self.permit, not PERMIT.
        An admitted call adds 1 to self.total_calls and to its tool in self.per_tool, keeps the largest
        depth admitted so far in self.depth, and appends {"tool": tool, "ok": True, "reason": "admit"}.
        """
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
