"""Reading a request within its limits, and the answers in JSON, good and bad."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive

from stub_server.request_log import Entry
from stub_server.runtime import Runtime, runtime_of

BODY_BYTES = 64 * 1024
# A body a little too large is read to its end, so that its sender hears the answer and not a reset.
DRAIN_BYTES = 1024 * 1024
DRAIN_SECONDS = 1.0
CLOSE = {"connection": "close"}


class Refused(Exception):
    """Raised in an endpoint to answer with an error body.

    Attributes:
        code: one word for a program, such as `bad_json`.
        param: the field that is at fault, where it is one.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: dict[str, str] | None = None,
        *,
        param: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers or {}
        self.param = param


class ClientGone(Exception):
    """Raised when the client left before its request was whole. There is nobody to answer."""


_ENCODER = json.JSONEncoder(allow_nan=False)


def json_bytes(value: Any) -> bytes:
    """JSON text in ASCII, so that nothing a client sent comes back unescaped.

    Raises:
        ValueError, TypeError, RecursionError: the value is no JSON; NaN is none.
    """
    return _ENCODER.encode(value).encode("ascii")


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer."""
    return encoded(json_bytes(value), status, headers)


def encoded(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer whose body is JSON text already."""
    return Response(body, status, headers, "application/json")


def error_answer(refused: Refused, kind: str = "invalid_request_error") -> Response:
    """The error body of the chat-completions protocol, used wherever a path has no body of its own."""
    error = {"message": str(refused), "type": kind, "param": refused.param, "code": refused.code}
    return answer({"error": error}, refused.status, refused.headers)


def entry_of(request: Request) -> Entry:
    """The log row of the request that is being served."""
    entry: Entry = request.scope["state"]["entry"]
    return entry


async def read_body(request: Request) -> bytes:
    """The whole body, at most 64 KiB. A client that stalls is cut by the server, not here (`connection.py`).

    Raises:
        Refused: 400 without one plain Content-Length or where it is not what came, 413 where it is too much. The
            connection is closed after each of them.
        ClientGone: the client left in the middle.
    """
    length = _declared_length(request)
    if length > BODY_BYTES:
        if length <= DRAIN_BYTES:
            await _drain(runtime_of(request.scope), request.receive, length)
        raise Refused(413, "body_too_large", f"a body may hold {BODY_BYTES} bytes", CLOSE)
    body = await _read(request.receive, length)
    if len(body) != length:
        raise Refused(400, "wrong_content_length", "Content-Length is not the length of the body", CLOSE)
    return body


def _declared_length(request: Request) -> int:
    headers = request.scope["headers"]
    values = [value for name, value in headers if name == b"content-length"]
    if not values or any(name == b"transfer-encoding" for name, _ in headers):
        raise Refused(400, "content_length_required", "send the body with a Content-Length", CLOSE)
    value = values[0]
    # int() would also take a sign, underscores, spaces and other digits.
    if len(values) > 1 or not value.isdigit() or len(value) > 18:
        raise Refused(400, "wrong_content_length", "Content-Length is one plain number of bytes", CLOSE)
    return int(value)


async def _read(receive: Receive, most: int) -> bytes:
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body += bytes(message.get("body", b""))
        if not message.get("more_body", False) or len(body) > most:
            return body


async def _drain(runtime: Runtime, receive: Receive, length: int) -> None:
    async def read_away() -> None:
        left = length
        while left > 0:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            left -= len(message.get("body", b""))
            if not message.get("more_body", False):
                return

    try:
        await runtime.within(DRAIN_SECONDS, read_away())
    except TimeoutError:
        return  # it had its chance to finish sending
