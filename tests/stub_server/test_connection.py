"""Clients that stall or leave are cut and change nothing; slow ones and others are served."""

from __future__ import annotations

import contextlib
import socket
import time

import httpx
import pytest

from stub_server import Stub
from tests.stub_server.drills import DRILL_A_BYTES, order
from tests.stub_server.wire import request_bytes


def test_a_stalled_client_is_cut_after_five_seconds_and_others_are_served(stub: Stub, client: httpx.Client) -> None:
    with socket.create_connection(("127.0.0.1", stub.port), timeout=10) as stalled:
        stalled.sendall(request_bytes("/tool", DRILL_A_BYTES)[:-1])
        began = time.monotonic()
        assert client.post("/tool", json=order("intent-other-1")).json()["decision"] == "APPLY"
        assert time.monotonic() - began < 4  # while the other one still stalls
        with contextlib.suppress(ConnectionResetError):
            assert stalled.recv(1) == b""
        assert 4 < time.monotonic() - began < 9
    until = time.monotonic() + 5  # the row is written after the connection was cut
    while stub.log.rows[-1]["error"] is None and time.monotonic() < until:
        time.sleep(0.05)
    assert stub.log.rows[-1]["error"] == "ClientGone"
    assert stub.ledger.count == 1


@pytest.mark.parametrize("before", [b"", request_bytes("/nowhere", b"{}")], ids=["first", "second"])
def test_a_client_that_never_finishes_a_head_is_cut(stub: Stub, before: bytes) -> None:
    with socket.create_connection(("127.0.0.1", stub.port), timeout=10) as stalled:
        if before:
            stalled.sendall(before)
            assert b"404" in stalled.recv(65536)
        stalled.sendall(b"POST /tool HTTP/1.1\r\nHost: a\r\n")
        began = time.monotonic()
        with contextlib.suppress(ConnectionResetError):
            assert stalled.recv(1) == b""
        assert 4 < time.monotonic() - began < 8


def test_a_connection_in_slow_use_is_not_taken_for_a_stalled_one(stub: Stub) -> None:
    with stub.client() as slow, socket.create_connection(("127.0.0.1", stub.port)) as kept:
        kept.sendall(request_bytes("/nowhere", b"{}"))
        assert b"404" in kept.recv(65536)
        slow.get("/healthz")
        time.sleep(6)
        kept.sendall(request_bytes("/nowhere", b"{}"))
        assert b"404" in kept.recv(65536)


def test_a_client_that_leaves_mid_body_changes_nothing(stub: Stub) -> None:
    with socket.create_connection(("127.0.0.1", stub.port)) as leaving:
        leaving.sendall(request_bytes("/tool", DRILL_A_BYTES)[:-1])
    deadline = time.monotonic() + 5
    while not stub.log.rows and time.monotonic() < deadline:
        time.sleep(0.01)
    assert stub.log.rows[-1]["error"] == "ClientGone"
    assert stub.ledger.count == 0
