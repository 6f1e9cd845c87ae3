# The table as a match statement, whole milliseconds, and a key that is hashed.

# cell: decide
def decide(error, effect, has_key, *, nothing_applied=False):
    match error, effect, has_key:
        case "timeout", "read", _:
            return "retry"
        case "timeout", _, True:
            return "poll"
        case "timeout", _, False:
            return "hand_off"
        case "rate_limited", "read", _:
            return "backoff"
        case "rate_limited", _, True:
            return "backoff_same_key"
        case "rate_limited", _, False if nothing_applied:
            return "backoff"
        case "rate_limited", _, False:
            return "poll"
        case "internal_error", "read", _:
            return "retry_once"
        case "internal_error", _, True:
            return "retry_same_key"
        case "internal_error", _, False:
            return "poll"
    return "stop"

# cell: next-delay
def next_delay(attempt, policy, rng):
    ceiling = policy.base_ms
    for _ in range(attempt - 1):
        ceiling = min(2 * ceiling, policy.cap_ms)
    return rng.randint(0, min(ceiling, policy.cap_ms))

# cell: key-for-try
def key_for_try(call, attempt):
    import hashlib

    return hashlib.sha256(f"{call.tool}/{call.intent}".encode()).hexdigest()
