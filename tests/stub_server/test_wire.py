"""What is no good request: bodies that are no strict JSON or too long, lengths that are missing or wrong."""

from __future__ import annotations

import httpx
import pytest

from stub_server import Stub
from tests.stub_server.drills import DRILL_A_BYTES
from tests.stub_server.wire import exchange, request_bytes


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"\xff", "not_utf8"),
        (b'{"tool_name": NaN}', "not_a_number"),
        (b"[Infinity]", "not_a_number"),
        (b'{"a": 1, "a": 2}', "duplicate_key"),
        (b"[" * 33 + b"]" * 33, "too_deep"),
        (b"1" * 5000, "number_too_long"),
        (b'"\\ud800"', "surrogate"),
    ],
)
def test_a_body_that_is_no_strict_json_is_rejected(stub: Stub, body: bytes, reason: str) -> None:
    reply = httpx.post(f"{stub.url}/tool", content=body)
    assert (reply.status_code, reply.json()) == (
        400,
        {"decision": "REJECT", "reason": "bad_json", "side_effect_counter": 0},
    )
    assert stub.log.rows[-1]["error"] == reason


@pytest.mark.parametrize("length", [64 * 1024 + 1, 900 * 1024, 3 * 1024 * 1024])
def test_a_body_over_64_kib_is_413_and_changes_nothing(stub: Stub, length: int) -> None:
    padded = DRILL_A_BYTES.ljust(length)
    reply = httpx.post(f"{stub.url}/tool", content=padded)
    assert reply.status_code == 413
    assert reply.json()["reason"] == "body_too_large"
    assert stub.ledger.count == 0


def test_a_body_of_exactly_64_kib_is_read(stub: Stub) -> None:
    padded = DRILL_A_BYTES.ljust(64 * 1024)
    assert httpx.post(f"{stub.url}/tool", content=padded).json()["decision"] == "APPLY"


def test_a_declared_length_of_ten_gigabytes_is_answered_without_waiting_for_them(stub: Stub) -> None:
    reply = exchange(stub.port, request_bytes("/tool", b"{", length="10000000000"))
    assert reply.status == 413


@pytest.mark.parametrize(
    "raw",
    [
        request_bytes("/tool", DRILL_A_BYTES, length=None),
        request_bytes(
            "/tool", b"%x\r\n%b\r\n0\r\n\r\n" % (len(DRILL_A_BYTES), DRILL_A_BYTES), length=None, chunked=True
        ),
        request_bytes("/tool", DRILL_A_BYTES, length="-5"),
        request_bytes("/tool", DRILL_A_BYTES, length=f"+{len(DRILL_A_BYTES)}"),
        request_bytes("/tool", DRILL_A_BYTES, length="1_0"),
        request_bytes("/tool", DRILL_A_BYTES, length="0x10"),
        request_bytes("/tool", DRILL_A_BYTES, length="many"),
        request_bytes("/tool", DRILL_A_BYTES, length=""),
        request_bytes("/tool", DRILL_A_BYTES, length="9" * 5000),
        request_bytes("/tool", DRILL_A_BYTES, length=f"{len(DRILL_A_BYTES)}, {len(DRILL_A_BYTES) - 1}"),
        request_bytes("/tool", DRILL_A_BYTES, length=str(len(DRILL_A_BYTES) - 1)),
        request_bytes("/tool", DRILL_A_BYTES, length=f"{len(DRILL_A_BYTES)}\r\nContent-Length: 1"),
        request_bytes("/tool", DRILL_A_BYTES, length=f"{len(DRILL_A_BYTES)}\r\nTransfer-Encoding: chunked"),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 40,
        b"POST /tool\r\n\r\n",
        b"POST /tool HTTP/1.1\r\n\r\n",
        b"POST /tool HTTP/1.1\r\nHost: a\r\n bad: b\r\n\r\n",
    ],
    ids=lambda raw: raw[:80].decode("latin-1"),
)
def test_a_length_that_is_missing_or_wrong_is_refused_in_json(stub: Stub, raw: bytes) -> None:
    reply = exchange(stub.port, raw)
    assert reply.status in (400, 413)
    assert reply.headers["content-type"] == "application/json"
    assert isinstance(reply.json(), dict)
    assert stub.ledger.count == 0
