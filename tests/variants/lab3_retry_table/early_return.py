# One return a rule, numbers looked up where they are needed.

# cell: observe
def observe(duration_ms, data, limits):
    def number(name):
        return limits.get(name, STRICT_LIMITS[name])

    if not duration_ms <= number("timeout_ms"):
        return dict(ok=False, error="timeout")
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    size = len(text.encode())
    rows = len(data) if type(data) is list else None
    if size > number("max_bytes"):
        hint = BYTES_HINT
    elif rows is not None and rows > number("max_rows"):
        hint = ROWS_HINT
    else:
        return dict(data=data, ok=True)
    preview, used = "", 0
    for letter in text:
        used += len(letter.encode())
        if used > number("max_bytes"):
            break
        preview += letter
    return dict(hint=hint, truncated=preview, rows=rows, size=size, error="too_large", ok=False)

# cell: decide
def decide(error, effect, has_key, *, nothing_applied=False):
    if error not in {"timeout", "rate_limited", "internal_error"}:
        return "stop"
    if effect == "read":
        return {"timeout": "backoff", "rate_limited": "backoff", "internal_error": "stop"}[error]
    if has_key:
        return "backoff_same_key" if error == "rate_limited" else "retry_same_key"
    if error == "rate_limited" and nothing_applied:
        return "backoff"
    return "poll" if error == "internal_error" else "hand_off"

# cell: must-stop
def must_stop(state, policy):
    if policy.budget_ms - state.elapsed_ms <= state.delay_ms:
        return "budget_exceeded"
    if state.tries - 1 >= policy.max_retries and state.tries:
        return "max_retries"
    if not state.tools_started < policy.max_tools:
        return "max_tools"
    if not state.is_write:
        return None
    return None if state.writes_this_hour < policy.max_writes else "max_writes"
