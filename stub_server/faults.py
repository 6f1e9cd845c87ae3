"""Playing one scripted fault: before the app, instead of it, or after it has applied."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stub_server.request_log import Entry
from stub_server.runtime import runtime_of
from stub_server.scenario import Step
from stub_server.strict_json import BadJson, parse
from stub_server.wire import BODY_BYTES, Refused, read_body

HANG_SECONDS = 30.0
CHUNK = b"x" * 64 * 1024

ERRORS = {429: "rate_limited", 401: "denied", 403: "denied", 404: "not_found", 400: "invalid_args"}


async def play(step: Step, app: ASGIApp, scope: Scope, receive: Receive, send: Send, entry: Entry) -> None:
    """Serve one request as the step says (spec 3).

    `apply_then_hang` and `apply_then_drop` let the app do all of its work, and only then keep the answer back.
    Every other fault comes instead of the app, so nothing was applied.

    Args:
        entry: the request's row in the log, for what the app does not see.
    """
    runtime = runtime_of(scope)
    if step.kind == "ok":
        await app(scope, receive, send)
    elif step.kind == "delay_ms":
        await runtime.sleep(step.amount / 1000)
        await app(scope, receive, send)
    elif step.kind in ("apply_then_hang", "apply_then_drop"):
        await app(scope, receive, _keep_back)
        entry.served.error = step.kind
        entry.write()
        if step.kind == "apply_then_drop" or not await _leaves(scope, receive):
            runtime.drop()
    else:
        await _read_away(scope, receive, entry)
        await _answer_instead(step, scope["path"], send)


async def _keep_back(message: Message) -> None:
    """A `send` that sends nothing."""


async def _leaves(scope: Scope, receive: Receive) -> bool:
    """Whether the client gives up before the hang is over."""

    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    try:
        await runtime_of(scope).within(HANG_SECONDS, gone())
    except TimeoutError:
        return False
    return True


async def _read_away(scope: Scope, receive: Receive, entry: Entry) -> None:
    if scope["method"] != "POST":
        return
    try:
        entry.note_payload(parse(await read_body(Request(scope, receive)), max_bytes=BODY_BYTES))
    except (Refused, BadJson):
        return  # the fault is answered all the same


async def _answer_instead(step: Step, path: str, send: Send) -> None:
    headers = [(b"content-type", b"application/json")]
    headers += [(name.encode("ascii"), value.encode("ascii")) for name, value in step.headers]
    status, body = 200, b""
    if step.kind == "status":
        status, body = step.amount, json.dumps(_error(step.amount, path)).encode("ascii")
    elif step.kind == "redirect":
        status, body = 302, b"{}"
        headers.append((b"location", step.to.encode("ascii")))
    elif step.kind == "bad_json":
        body = b'{"ok": true, "data": [1, 2'
    length = step.amount if step.kind == "huge" else len(body)
    headers.append((b"content-length", str(length).encode("ascii")))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if step.kind == "huge":
        await _send_string(length, send)
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _send_string(length: int, send: Send) -> None:
    """A JSON string of that many bytes, quotes included, in pieces."""
    await send({"type": "http.response.body", "body": b'"', "more_body": True})
    left = length - 2
    while left > 0:
        await send({"type": "http.response.body", "body": CHUNK[:left], "more_body": True})
        left -= len(CHUNK)
    await send({"type": "http.response.body", "body": b'"', "more_body": True})


def _error(status: int, path: str) -> dict[str, object]:
    code = ERRORS.get(status, "internal_error")
    message = f"scripted {status}: nothing was applied"
    if path.startswith("/tools/"):
        return {"ok": False, "error": code, "message": message}
    if path == "/tool":
        return {"reason": code, "message": message}
    return {"error": {"message": message, "type": code, "param": None, "code": code}}
