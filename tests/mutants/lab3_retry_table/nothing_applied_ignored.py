# loses: rate_limited
# hint: nothing_applied_ignored
# Looks up even what was certainly not applied.

# cell: decide
def decide(error, effect, has_key, *, nothing_applied=False):
    column = 0 if effect == "read" else 2 if has_key else 1
    table = {
        "timeout": ("retry", "poll", "retry_same_key"),
        "rate_limited": ("backoff", "poll", "backoff_same_key"),
        "internal_error": ("retry_once", "poll", "retry_same_key"),
    }
    return table[error][column] if error in table else "stop"
