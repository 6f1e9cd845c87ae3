# loses: replay_stops
# hint: goes_on_after_denial

# cell: replay
def replay(trace, budget, *, by_step=False):
    for position, step in enumerate(trace["steps"], start=1):
        depth = position if by_step else step.get("depth", 1)
        try:
            budget.admit(step["tool"], step.get("args", {}), depth=depth)
        except BudgetDenied:
            continue
    return budget.decisions
