# loses: write_without_key
# hint: write_without_key_retried
# Sends a write again, whatever happened to the first.

# cell: decide
def decide(error, effect, has_key, *, nothing_applied=False):
    column = 0 if effect == "read" else 2 if has_key else 1
    table = {
        "timeout": ("retry", "retry", "retry_same_key"),
        "rate_limited": ("backoff", "backoff", "backoff_same_key"),
        "internal_error": ("retry_once", "retry", "retry_same_key"),
    }
    return table[error][column] if error in table else "stop"
