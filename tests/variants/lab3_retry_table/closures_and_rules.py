# Rules as lists of pairs; the first that fits wins.

# cell: must-stop
RULES = [
    ("budget_exceeded", lambda state, policy: state.elapsed_ms + state.delay_ms >= policy.budget_ms),
    ("max_retries", lambda state, policy: state.tries > policy.max_retries),
    ("max_tools", lambda state, policy: state.tools_started >= policy.max_tools),
    ("max_writes", lambda state, policy: state.is_write and state.writes_this_hour >= policy.max_writes),
]


def must_stop(state, policy):
    return next((reason for reason, fits in RULES if fits(state, policy)), None)

# cell: decide
def always(action):
    return lambda nothing_applied: action


TABLE = {
    ("timeout", "read"): always("backoff"),
    ("timeout", "write"): always("poll"),
    ("timeout", "keyed"): always("retry_same_key"),
    ("rate_limited", "read"): always("backoff"),
    ("rate_limited", "write"): lambda nothing_applied: "backoff" if nothing_applied else "hand_off",
    ("rate_limited", "keyed"): always("backoff_same_key"),
    ("internal_error", "read"): always("retry_once"),
    ("internal_error", "write"): always("poll"),
    ("internal_error", "keyed"): always("retry_same_key"),
}


def decide(error, effect, has_key, *, nothing_applied=False):
    kind = "keyed" if effect == "write" and has_key else effect
    return TABLE.get((error, kind), always("stop"))(nothing_applied)

# cell: next-delay
def next_delay(attempt, policy, rng):
    return rng.random() * min(policy.base_ms * 2.0 ** (attempt - 1), policy.cap_ms)
