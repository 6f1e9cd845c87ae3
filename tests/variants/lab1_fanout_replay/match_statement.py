# The gates as one match statement; the diff by field.

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        cap = self.permit["tools"].get(tool, {}).get("max_calls")
        used = self.per_tool.get(tool, 0)
        left = self.permit["max_total_calls"] - self.total_calls
        match (cap, depth):
            case (None, _):
                self.deny(tool, "unknown_tool")
            case (cap, _) if used >= cap:
                self.deny(tool, "per_tool_cap")
            case _ if left <= 0:
                self.deny(tool, "total_cap")
            case (_, depth) if depth > self.permit["max_depth"]:
                self.deny(tool, "depth_cap")
        self.total_calls += 1
        self.per_tool.update({tool: used + 1})
        self.depth = sorted([self.depth, depth])[-1]
        self.decisions += [{"tool": tool, "ok": True, "reason": "admit"}]

# cell: diff
def diff(a, b):
    differing = set(range(min(len(a), len(b)), max(len(a), len(b))))
    for field in ("tool", "ok", "reason"):
        differing |= {place for place, (left, right) in enumerate(zip(a, b)) if left[field] != right[field]}
    return sorted(differing)
