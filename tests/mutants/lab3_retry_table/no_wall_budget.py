# loses: wall_budget
# hint: no_wall_budget
# Counts tries, and never looks at the time.

# cell: must-stop
def must_stop(state, policy):
    if state.tries > policy.max_retries:
        return "max_retries"
    if state.tools_started >= policy.max_tools:
        return "max_tools"
    if state.is_write and state.writes_this_hour >= policy.max_writes:
        return "max_writes"
    return None
