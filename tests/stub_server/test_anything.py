"""Whatever arrives, the server answers in JSON or closes, makes no effect it should not, and serves the next."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stub_server import Room, Stub, StubApp, SyncTransport
from tests.stub_server.drills import solved_decide

PATHS = [
    ("POST", "/tool"),
    ("POST", "/tools/search"),
    ("POST", "/tools/refund"),
    ("POST", "/v1/chat/completions"),
    ("GET", "/orders/intent-alpha-01"),
    ("GET", "/refunds/intent-alpha-01"),
    ("GET", "/v1/models"),
    ("GET", "/v1/models/polite"),
    ("GET", "/ledger"),
    ("GET", "/log"),
    ("GET", "/healthz"),
    ("DELETE", "/ledger"),
    ("POST", "/nowhere"),
]
quick = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
# Values near to what the endpoints expect, so that some get far.
words = st.sampled_from(
    [
        *("tool_name", "create_lab_order", "arguments", "sku", "qty", "idempotency_key", "intent-alpha-01", "q"),
        *("model", "polite", "messages", "role", "user", "content", "tools", "stream", "function", "order_id"),
        *("amount_cents", "tool_calls", "assistant", "tool", "", "\x00", "\u2028", "<script>"),
    ]
)
near = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats() | words | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=6),
    max_leaves=25,
)
bodies = st.binary(max_size=300) | near.map(json.dumps).map(str.encode)
headers = st.dictionaries(
    st.sampled_from([b"x-student-id", b"x-scenario", b"x-stainless-retry-count", b"authorization", b"content-type"]),
    st.binary(max_size=80).filter(lambda value: not set(value) & set(b"\r\n\x00")),
    max_size=4,
)


@pytest.fixture
def by_hand() -> httpx.Client:
    return httpx.Client(transport=SyncTransport(StubApp(Room(solved_decide()))), base_url="http://stub")


@pytest.mark.parametrize(("method", "path"), PATHS)
@quick
@given(body=bodies, sent=headers)
def test_every_endpoint_answers_anything_in_json_and_below_500(
    by_hand: httpx.Client, method: str, path: str, body: bytes, sent: dict[bytes, bytes]
) -> None:
    content = None if method == "GET" else body
    reply = by_hand.request(method, path, content=content, headers=list(sent.items()))
    assert 200 <= reply.status_code < 500
    if reply.headers["content-type"] == "application/json":
        assert isinstance(reply.json(), dict)
    else:
        assert reply.text.endswith("data: [DONE]\n\n")
    assert reply.content.isascii()


@quick
@given(body=near.map(json.dumps).map(str.encode))
def test_the_answer_and_the_ledger_agree(body: bytes) -> None:
    room = Room(solved_decide())
    with httpx.Client(transport=SyncTransport(StubApp(room)), base_url="http://stub") as client:
        reply = client.post("/tool", content=body).json()
    assert room.ledger.count == (1 if reply["decision"] == "APPLY" else 0)


request_lines = st.sampled_from(
    [b"POST /tool HTTP/1.1", b"GET / HTTP/1.1", b"POST /tool HTTP/1.0", b"GET /%ff%00 HTTP/1.1"]
)
pieces = st.sampled_from(
    [
        *(b"Host: a", b"Content-Length: 2", b"Content-Length: -1", b"Content-Length: 99999999999999999999"),
        *(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", b"Connection: close", b"Connection: upgrade"),
        *(
            b"Upgrade: websocket",
            b"Upgrade: h2c",
            b"Expect: 100-continue",
            b"X-Student-Id: \xff",
            b": empty",
            b"\x00: a",
        ),
    ]
)
raw_requests = st.binary(max_size=200) | st.builds(
    lambda line, lines, body: b"\r\n".join([line, *lines, b"", body]),
    request_lines,
    st.lists(pieces, max_size=5),
    st.sampled_from([b"", b"{}", b"2\r\n{}\r\n0\r\n\r\n", b"zz\r\n", b"GET /ledger HTTP/1.1\r\nHost: a\r\n\r\n"]),
)


@quick
@given(raw=raw_requests)
def test_any_bytes_on_the_wire_leave_the_server_well(stub: Stub, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", stub.port), timeout=10) as link:
        link.sendall(raw)
        link.shutdown(socket.SHUT_WR)
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while more := link.recv(65536):
                received += more
    assert received == b"" or received.startswith(b"HTTP/1.1 ")
    assert b" 500 " not in received.split(b"\r\n")[0]
    assert stub.ledger.count == 0
    assert httpx.get(f"{stub.url}/healthz").status_code == 200


@pytest.mark.parametrize("value", [0, 1, 2.0, "2", True, None, [], {}, 21, -1, 10**400])
def test_a_quantity_that_is_no_whole_number_from_1_to_20_makes_no_effect(client: httpx.Client, value: Any) -> None:
    arguments = {"sku": "SKU-9", "qty": value, "idempotency_key": "intent-alpha-01"}
    reply = client.post("/tool", json={"tool_name": "create_lab_order", "arguments": arguments})
    expected = 1 if value == 1 and value is not True else 0
    assert reply.json()["side_effect_counter"] == expected
