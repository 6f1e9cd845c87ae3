"""Clients that stall or leave are cut and change nothing; slow ones and others are served."""

from __future__ import annotations

import contextlib
import socket
import time

import httpx
import pytest

from stub_server import Stub, connection
from tests.stub_server.drills import DRILL_A_BYTES, order
from tests.stub_server.wire import request_bytes
from tests.waiting import LONG_S, wait_for


def test_a_client_may_stall_for_five_seconds() -> None:
    assert connection.STALL_SECONDS == 5


def test_while_a_client_stalls_others_are_served_and_then_it_is_cut(
    stub: Stub, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "STALL_SECONDS", 3600)
    with socket.create_connection(("127.0.0.1", stub.port), timeout=LONG_S) as stalled:
        stalled.sendall(request_bytes("/tool", DRILL_A_BYTES)[:-1])
        assert client.post("/tool", json=order("intent-other-1")).json()["decision"] == "APPLY"
        monkeypatch.setattr(connection, "STALL_SECONDS", 1)
        with contextlib.suppress(ConnectionResetError):
            assert stalled.recv(1) == b""
    wait_for(lambda: stub.log.rows[-1]["error"] == "ClientGone")  # which is written after the connection was cut
    assert stub.ledger.count == 1


@pytest.mark.parametrize("before", [b"", request_bytes("/nowhere", b"{}")], ids=["first", "second"])
def test_a_client_that_never_finishes_a_head_is_cut(stub: Stub, before: bytes) -> None:
    with socket.create_connection(("127.0.0.1", stub.port), timeout=LONG_S) as stalled:
        if before:
            stalled.sendall(before)
            assert b"404" in stalled.recv(65536)
        stalled.sendall(b"POST /tool HTTP/1.1\r\nHost: a\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert stalled.recv(1) == b""


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
    wait_for(lambda: stub.log.rows)
    assert stub.log.rows[-1]["error"] == "ClientGone"
    assert stub.ledger.count == 0
