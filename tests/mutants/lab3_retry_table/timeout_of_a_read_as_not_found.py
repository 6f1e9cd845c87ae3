# loses: timeout
# hint: timeout_as_miss
# A read that timed out stops, as if nothing were there.

# cell: decide
def decide(error, effect, has_key, *, nothing_applied=False):
    column = 0 if effect == "read" else 2 if has_key else 1
    table = {
        "timeout": ("stop", "poll", "retry_same_key"),
        "rate_limited": ("backoff", "backoff" if nothing_applied else "poll", "backoff_same_key"),
        "internal_error": ("retry_once", "poll", "retry_same_key"),
    }
    return table[error][column] if error in table else "stop"
