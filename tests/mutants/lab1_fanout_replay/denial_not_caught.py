# loses: replay_stops, replay_depth, replay_by_step
# hint: denial_not_caught

# cell: replay
def replay(trace, budget, *, by_step=False):
    for position, step in enumerate(trace["steps"], start=1):
        depth = position if by_step else step.get("depth", 1)
        budget.admit(step["tool"], step.get("args", {}), depth=depth)
    return budget.decisions
