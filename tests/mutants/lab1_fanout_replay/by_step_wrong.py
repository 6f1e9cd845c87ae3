# loses: replay_by_step
# hint: by_step_wrong

# cell: replay
def replay(trace, budget, *, by_step=False):
    for position, step in enumerate(trace["steps"]):
        depth = position if by_step else step.get("depth", 1)
        try:
            budget.admit(step["tool"], step.get("args", {}), depth=depth)
        except BudgetDenied:
            break
    return budget.decisions
