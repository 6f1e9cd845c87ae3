# A class for the limits, a helper for each part of the error.

# cell: observe
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    timeout_ms: int = STRICT_LIMITS["timeout_ms"]
    max_bytes: int = STRICT_LIMITS["max_bytes"]
    max_rows: int = STRICT_LIMITS["max_rows"]


def compact(data):
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def start_of(body, most):
    end = min(most, len(body))
    while end and end < len(body) and body[end] & 0xC0 == 0x80:
        end -= 1
    return body[:end].decode("utf-8")


def too_large(body, rows, hint, most):
    error = {"ok": False, "error": "too_large", "hint": hint}
    error.update(size=len(body), rows=rows, truncated=start_of(body, most))
    return error


def observe(duration_ms, data, limits):
    own = Limits(**limits)
    if duration_ms > own.timeout_ms:
        return {"ok": False, "error": "timeout"}
    body, rows = compact(data), None
    if isinstance(data, list):
        rows = len(data)
    if len(body) > own.max_bytes:
        return too_large(body, rows, BYTES_HINT, own.max_bytes)
    if rows is not None and rows > own.max_rows:
        return too_large(body, rows, ROWS_HINT, own.max_bytes)
    return {"ok": True, "data": data}

# cell: key-for-try
KEYS = {}


def key_for_try(call, attempt):
    import uuid

    return KEYS.setdefault(call.intent, str(uuid.uuid4()))
