# loses: session_caps
# hint: session_cap_ignored
# Trusts the table alone.

# cell: must-stop
def must_stop(state, policy):
    if state.elapsed_ms + state.delay_ms >= policy.budget_ms:
        return "budget_exceeded"
    if state.tries > policy.max_retries:
        return "max_retries"
    return None
