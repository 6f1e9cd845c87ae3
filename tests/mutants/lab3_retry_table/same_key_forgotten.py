# loses: rate_limited, internal_error
# hint: same_key_forgotten
# Knows reads and writes, and no keys.

# cell: decide
def decide(error, effect, has_key, *, nothing_applied=False):
    column = 0 if effect == "read" else 1
    table = {
        "timeout": ("retry", "poll", "retry_same_key"),
        "rate_limited": ("backoff", "backoff" if nothing_applied else "poll", "backoff_same_key"),
        "internal_error": ("retry_once", "poll", "retry_same_key"),
    }
    return table[error][column] if error in table else "stop"
