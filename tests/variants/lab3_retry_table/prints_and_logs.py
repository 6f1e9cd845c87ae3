# Says what it does on the way: on stdout, on stderr, as a warning, in a log.

# cell: observe
import logging
import sys
import warnings


def observe(duration_ms, data, limits):
    print("observing", duration_ms, "ms")
    logging.getLogger("lab3").warning("limits %s", limits)
    numbers = dict(STRICT_LIMITS)
    numbers.update(limits)
    if duration_ms > numbers["timeout_ms"]:
        warnings.warn("late", stacklevel=2)
        return {"ok": False, "error": "timeout"}
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    rows = len(data) if isinstance(data, list) else None
    reasons = [BYTES_HINT] * (len(body) > numbers["max_bytes"]) + [ROWS_HINT] * ((rows or 0) > numbers["max_rows"])
    print(reasons, file=sys.stderr)
    if not reasons:
        return {"ok": True, "data": data}
    preview = body[: numbers["max_bytes"]]
    while True:
        try:
            text = preview.decode()
            break
        except UnicodeDecodeError:
            preview = preview[:-1]
    return {"ok": False, "error": "too_large", "size": len(body), "rows": rows, "truncated": text, "hint": reasons[0]}

# cell: must-stop
def must_stop(state, policy):
    reason = None
    if state.is_write and state.writes_this_hour >= policy.max_writes:
        reason = "max_writes"
    if state.tools_started >= policy.max_tools:
        reason = "max_tools"
    if state.tries and state.tries - 1 == policy.max_retries or state.tries - 1 > policy.max_retries:
        reason = "max_retries"
    if max(0, policy.budget_ms - state.elapsed_ms - state.delay_ms) == 0:
        reason = "budget_exceeded"
    print("stop:", reason)
    return reason

# cell: answers
answers = dict(late_refund="c", same_key="a")
answers |= {"posts": "d", "owner": "b", "last_delay": "d"}
print(sorted(answers))
