# loses: unknown_tool, per_tool_cap, total_cap, depth_cap, charging, decision_rows, denial_raises, own_state, no_clock
# hint: always_admits

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        return None
