# loses: replay_depth
# hint: step_depth_ignored

# cell: replay
def replay(trace, budget, *, by_step=False):
    for position, step in enumerate(trace["steps"], start=1):
        depth = position if by_step else 1
        try:
            budget.admit(step["tool"], step.get("args", {}), depth=depth)
        except BudgetDenied:
            break
    return budget.decisions
