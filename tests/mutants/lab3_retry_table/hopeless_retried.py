# loses: never_again
# hint: hopeless_retried
# Tries wrong arguments and denials once more.

# cell: decide
def decide(error, effect, has_key, *, nothing_applied=False):
    column = 0 if effect == "read" else 2 if has_key else 1
    table = {
        "timeout": ("retry", "poll", "retry_same_key"),
        "rate_limited": ("backoff", "backoff" if nothing_applied else "poll", "backoff_same_key"),
        "internal_error": ("retry_once", "poll", "retry_same_key"),
    }
    if error in ("invalid_args", "denied"):
        return "retry_once"
    return table[error][column] if error in table else "stop"
