# loses: rows
# hint: rows_of_no_list
# Whatever has a length has rows.

# cell: observe
def observe(duration_ms, data, limits):
    limits = {**STRICT_LIMITS, **limits}
    if duration_ms > limits["timeout_ms"]:
        return {"ok": False, "error": "timeout"}
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    rows = len(data) if isinstance(data, (list, str, dict)) else None
    has_too_many_bytes = len(body) > limits["max_bytes"]
    if not has_too_many_bytes and (rows or 0) <= limits["max_rows"]:
        return {"ok": True, "data": data}
    return {
        "ok": False,
        "error": "too_large",
        "size": len(body),
        "rows": rows,
        "truncated": body[: limits["max_bytes"]].decode("utf-8", "ignore"),
        "hint": BYTES_HINT if has_too_many_bytes else ROWS_HINT,
    }
