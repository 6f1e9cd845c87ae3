"""Bytes on the wire: requests that no HTTP client would send, and whatever comes back."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def request_bytes(path: str, body: bytes, *, length: str | None = "true length", chunked: bool = False) -> bytes:
    """A POST whose Content-Length says what it is told to."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1"]
    if length is not None:
        lines.append(f"Content-Length: {len(body) if length == 'true length' else length}")
    if chunked:
        lines.append("Transfer-Encoding: chunked")
    return "\r\n".join([*lines, "", ""]).encode() + body


def exchange(port: int, raw: bytes) -> Reply:
    """Send these bytes and read the first answer to its end."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
        link.sendall(raw)
        received = b""
        while b"\r\n\r\n" not in received:
            more = link.recv(65536)
            assert more, f"the connection ended after {received!r}"
            received += more
        head, _, body = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        while len(body) < int(headers["content-length"]):
            more = link.recv(65536)
            assert more, "the body was cut off"
            body += more
        return Reply(int(first.split()[1]), headers, body[: int(headers["content-length"])])
