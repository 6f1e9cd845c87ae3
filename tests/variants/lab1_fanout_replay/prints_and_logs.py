# Prints, logs and warns on the way; reads the clock, but only for its log.

# cell: budget
import logging
import time
import warnings

log = logging.getLogger("budget")


class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        print("asked for", tool, "at depth", depth)
        log.warning("%s at %s", tool, time.time())
        tools = self.permit["tools"]
        if tool not in tools:
            warnings.warn("unknown tool " + tool)
            self.deny(tool, "unknown_tool")
        used = self.per_tool.get(tool, 0)
        if not used < tools[tool]["max_calls"]:
            self.deny(tool, "per_tool_cap")
        if not self.total_calls < self.permit["max_total_calls"]:
            self.deny(tool, "total_cap")
        if not depth <= self.permit["max_depth"]:
            self.deny(tool, "depth_cap")
        self.total_calls += 1
        self.per_tool[tool] = used + 1
        self.depth = max(self.depth, depth)
        self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})
        print("admitted", self.decisions[-1])

# cell: replay
def replay(trace, budget, *, by_step=False):
    steps = list(trace["steps"])
    while steps:
        step = steps.pop(0)
        position = len(trace["steps"]) - len(steps)
        print("step", position)
        try:
            budget.admit(step["tool"], step.get("args") or {}, depth=position if by_step else step.get("depth", 1))
        except BudgetDenied as denied:
            logging.warning("denied: %s", denied)
            return budget.decisions
    return budget.decisions
