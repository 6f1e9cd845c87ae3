# loses: retries
# hint: attempts_for_retries
# Counts the first try as a retry.

# cell: must-stop
def must_stop(state, policy):
    if state.elapsed_ms + state.delay_ms >= policy.budget_ms:
        return "budget_exceeded"
    if state.tries >= policy.max_retries:
        return "max_retries"
    if state.tools_started >= policy.max_tools:
        return "max_tools"
    if state.is_write and state.writes_this_hour >= policy.max_writes:
        return "max_writes"
    return None
