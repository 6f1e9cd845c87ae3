# loses: replay_stops
# hint: failed_calls_left_out

# cell: replay
def replay(trace, budget, *, by_step=False):
    for position, step in enumerate(trace["steps"], start=1):
        if step.get("outcome") == "error":
            continue
        depth = position if by_step else step.get("depth", 1)
        try:
            budget.admit(step["tool"], step.get("args", {}), depth=depth)
        except BudgetDenied:
            break
    return budget.decisions
