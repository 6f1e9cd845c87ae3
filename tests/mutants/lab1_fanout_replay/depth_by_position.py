# loses: replay_depth
# hint: depth_by_position

# cell: replay
def replay(trace, budget, *, by_step=False):
    for position, step in enumerate(trace["steps"], start=1):
        depth = position
        try:
            budget.admit(step["tool"], step.get("args", {}), depth=depth)
        except BudgetDenied:
            break
    return budget.decisions
