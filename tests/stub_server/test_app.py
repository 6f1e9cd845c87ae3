"""The endpoints over real HTTP: drills, polls, ledger, log, and what bad input gets."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from typing import Any

import httpx
import pytest

from stub_server import Decide, StampStore, Stub
from tests.stub_server.drills import DRILL_A, order
from tests.stub_server.wire import exchange, request_bytes


def test_the_four_drills_give_the_table_and_one_effect(client: httpx.Client) -> None:
    changed = order("intent-alpha-01", qty=3)
    without_key = {"tool_name": "create_lab_order", "arguments": {"sku": "SKU-9", "qty": 2}}
    replies = [client.post("/tool", json=body) for body in (DRILL_A, DRILL_A, changed, without_key)]
    assert [reply.status_code for reply in replies] == [200, 200, 409, 400]
    bodies = [reply.json() for reply in replies]
    assert [body["decision"] for body in bodies] == ["APPLY", "REPLAY_OK", "REJECT", "REJECT"]
    assert [body["side_effect_counter"] for body in bodies] == [1, 1, 1, 1]
    assert bodies[0]["order_id"] == bodies[1]["order_id"] == "lab-1"
    assert client.get("/ledger").json() == {
        "side_effect_counter": 1,
        "effects": [
            {
                "tool": "create_lab_order",
                "key": "intent-alpha-01",
                "arguments": {"sku": "SKU-9", "qty": 2},
                "order_id": "lab-1",
            }
        ],
    }


def test_the_drill_as_curl_sends_it_needs_no_content_type(client: httpx.Client) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    reply = client.post("/tool", content=json.dumps(DRILL_A), headers=form)
    assert reply.json()["decision"] == "APPLY"


def test_only_a_409_tells_clients_not_to_retry(client: httpx.Client) -> None:
    first = client.post("/tool", json=DRILL_A)
    conflict = client.post("/tool", json=order("intent-alpha-01", qty=3))
    assert "x-should-retry" not in first.headers
    assert conflict.headers["x-should-retry"] == "false"


def test_without_a_mounted_function_nothing_is_decided() -> None:
    with Stub() as bare:
        reply = httpx.post(f"{bare.url}/tool", json=DRILL_A)
        assert reply.status_code == 503
        assert reply.json()["reason"] == "no_decide_mounted"
        assert "decision" not in reply.json()
        assert bare.ledger.count == 0


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
    padded = json.dumps(DRILL_A).encode().ljust(length)
    reply = httpx.post(f"{stub.url}/tool", content=padded)
    assert reply.status_code == 413
    assert reply.json()["reason"] == "body_too_large"
    assert stub.ledger.count == 0


def test_a_body_of_exactly_64_kib_is_read(stub: Stub) -> None:
    padded = json.dumps(DRILL_A).encode().ljust(64 * 1024)
    assert httpx.post(f"{stub.url}/tool", content=padded).json()["decision"] == "APPLY"


def test_a_declared_length_of_ten_gigabytes_is_answered_at_once(stub: Stub) -> None:
    began = time.monotonic()
    reply = exchange(stub.port, request_bytes("/tool", b"{", length="10000000000"))
    assert reply.status == 413
    assert time.monotonic() - began < 1


BODY = json.dumps(DRILL_A).encode()


@pytest.mark.parametrize(
    "raw",
    [
        request_bytes("/tool", BODY, length=None),
        request_bytes("/tool", b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY), length=None, chunked=True),
        request_bytes("/tool", BODY, length="-5"),
        request_bytes("/tool", BODY, length=f"+{len(BODY)}"),
        request_bytes("/tool", BODY, length="1_0"),
        request_bytes("/tool", BODY, length="0x10"),
        request_bytes("/tool", BODY, length="many"),
        request_bytes("/tool", BODY, length=""),
        request_bytes("/tool", BODY, length="9" * 5000),
        request_bytes("/tool", BODY, length=f"{len(BODY)}, {len(BODY) - 1}"),
        request_bytes("/tool", BODY, length=str(len(BODY) - 1)),
        request_bytes("/tool", BODY, length=f"{len(BODY)}\r\nContent-Length: 1"),
        request_bytes("/tool", BODY, length=f"{len(BODY)}\r\nTransfer-Encoding: chunked"),
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


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/tool/", 404),
        ("GET", "/Ledger", 404),
        ("POST", "/%00", 404),
        ("GET", "/<script>alert(1)</script>", 404),
        ("GET", "/tool", 405),
        ("DELETE", "/ledger", 405),
        ("PUT", "/ledger", 405),
        ("PATCH", "/healthz", 405),
    ],
)
def test_an_unknown_path_or_method_is_told_in_json(client: httpx.Client, method: str, path: str, status: int) -> None:
    reply = client.request(method, path)
    assert reply.status_code == status
    assert reply.headers["content-type"] == "application/json"
    assert reply.json()["error"]["code"] == {404: "not_found", 405: "method_not_allowed"}[status]
    assert path[1:] not in reply.text or path == "/"


def test_a_method_that_nobody_has_heard_of_is_refused_in_json(client: httpx.Client) -> None:
    reply = client.request("BREW", "/healthz")
    assert reply.status_code in (400, 405)  # one of uvicorn's two parsers does not let it through to the app
    assert reply.json()["error"]["code"] in ("bad_request", "method_not_allowed")


def test_a_stalled_client_is_cut_after_five_seconds_and_others_are_served(stub: Stub, client: httpx.Client) -> None:
    with socket.create_connection(("127.0.0.1", stub.port), timeout=10) as stalled:
        stalled.sendall(request_bytes("/tool", BODY)[:-1])
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
        leaving.sendall(request_bytes("/tool", BODY)[:-1])
    deadline = time.monotonic() + 5
    while not stub.log.rows and time.monotonic() < deadline:
        time.sleep(0.01)
    assert stub.log.rows[-1]["error"] == "ClientGone"
    assert stub.ledger.count == 0


def returns(value: Any) -> Decide:
    return lambda payload, store: value


def raises(error: BaseException) -> Decide:
    def decide(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        store.apply("intent-alpha-01", "SKU-9", 2)
        raise error

    return decide


async def async_decide(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
    return 200, {}


@pytest.mark.parametrize(
    "wrong",
    [
        returns(None),
        returns({}),
        returns((200, {}, {})),
        returns([200, {}]),
        returns(("200", {})),
        returns((True, {})),
        returns((200.0, {})),
        returns((100, {})),
        returns((999, {})),
        returns((204, {})),
        returns((304, {})),
        returns((200, None)),
        returns((200, [])),
        returns((200, "APPLY")),
        returns((200, {"counter": float("nan")})),
        returns((200, {"counter": object()})),
        returns((200, {"counter": b"1"})),
        returns((200, {("a", "b"): 1})),
        returns((200, {"text": "x" * 300_000})),
        async_decide,
    ],
)
def test_nonsense_from_decide_is_outcome_unknown(stub: Stub, wrong: Decide) -> None:
    stub.mount(wrong)
    reply = httpx.post(f"{stub.url}/tool", json=DRILL_A)
    assert reply.status_code == 500
    assert reply.json()["reason"] == "outcome_unknown"
    assert "decision" not in reply.json()


@pytest.mark.parametrize("error", [ValueError("secret"), SystemExit(3), KeyboardInterrupt(), StopIteration()])
def test_what_decide_raises_is_outcome_unknown_and_the_ledger_shows_the_truth(stub: Stub, error: BaseException) -> None:
    stub.mount(raises(error))
    reply = httpx.post(f"{stub.url}/tool", json=DRILL_A)
    assert reply.status_code == 500
    assert reply.json()["reason"] == "outcome_unknown"
    assert reply.json()["side_effect_counter"] == 1
    assert "secret" not in reply.text
    assert stub.log.rows[-1]["error"] == type(error).__name__


def test_a_hang_is_cut_at_two_seconds_in_doubt_until_it_ends_and_blocks_nobody(
    stub: Stub, client: httpx.Client, decide: Decide
) -> None:
    release = threading.Event()

    def hangs(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        release.wait(20)
        return decide(payload, store)

    stub.mount(hangs)
    replies: list[httpx.Response] = []
    posting = threading.Thread(target=lambda: replies.append(httpx.post(f"{stub.url}/tool", json=DRILL_A, timeout=10)))
    began = time.monotonic()
    posting.start()
    while client.get("/orders/intent-alpha-01").json()["state"] == "never_seen":
        assert time.monotonic() - began < 2
    stub.mount(decide)
    assert client.post("/tool", json=order("intent-other-1")).json()["decision"] == "APPLY"
    assert client.get("/healthz").json() == {"status": "ready"}
    assert time.monotonic() - began < 1.5
    posting.join()
    assert 1.8 < time.monotonic() - began < 4
    assert (replies[0].status_code, replies[0].json()["reason"]) == (500, "outcome_unknown")
    assert client.get("/orders/intent-alpha-01").json() == {"key": "intent-alpha-01", "state": "in_doubt"}
    release.set()
    while client.get("/orders/intent-alpha-01").json()["state"] != "applied":
        assert time.monotonic() - began < 8
    assert stub.ledger.count == 2


def test_as_many_hung_calls_as_there_are_threads_leave_room_for_the_next(stub: Stub, decide: Decide) -> None:
    release = threading.Event()

    def hangs(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        release.wait(30)
        return 200, {}

    stub.mount(hangs)
    with stub.client(timeout=20, limits=httpx.Limits(max_connections=None)) as many:
        posting = [
            threading.Thread(target=many.post, args=("/tool",), kwargs={"json": order(f"intent-{n:04}")})
            for n in range(32)
        ]
        for thread in posting:
            thread.start()
        for thread in posting:
            thread.join()
        stub.mount(decide)
        assert many.post("/tool", json=DRILL_A).json()["decision"] == "APPLY"
    release.set()


def test_a_key_with_a_slash_is_one_key(client: httpx.Client) -> None:
    client.post("/tool", json=order("intent/alpha?1"))
    assert client.get("/orders/intent%2Falpha%3F1").json() == {
        "key": "intent/alpha?1",
        "state": "applied",
        "order_id": "lab-1",
    }


def test_a_key_not_seen_is_never_seen(client: httpx.Client) -> None:
    assert client.get("/orders/intent-none-1").json() == {"key": "intent-none-1", "state": "never_seen"}


def test_the_log_tells_each_request_and_counts_posts(client: httpx.Client) -> None:
    marks = {"x-stainless-retry-count": "1", "x-student-id": "pair-7", "authorization": "Bearer secret"}
    reply = client.post("/tool?token=secret", json=DRILL_A, headers=marks)
    client.post("/tool", json=DRILL_A, headers={"x-student-id": "pair-7"})
    client.get("/orders/intent-alpha-01")
    log = client.get("/log").json()
    row = log["requests"][0]
    assert row.pop("at")
    assert row == {
        "method": "POST",
        "path": "/tool",
        "status": 200,
        "bytes": len(reply.content),
        "retry": "1",
        "key": "intent-alpha-01",
        "student": "pair-7",
        "error": None,
    }
    assert log["total"] == 3
    assert log["posts_by_key"] == {"intent-alpha-01": 2}
    assert log["posts_by_student"] == {"pair-7": 2}
    assert "secret" not in json.dumps(log)


def test_sixteen_at_once_with_one_stamp_make_one_effect(stub: Stub) -> None:
    together = threading.Barrier(16)
    decisions: list[str] = []

    def post() -> None:
        with stub.client() as own:
            together.wait()
            decisions.append(own.post("/tool", json=DRILL_A).json()["decision"])

    threads = [threading.Thread(target=post) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(decisions) == ["APPLY"] + ["REPLAY_OK"] * 15
    assert stub.ledger.count == 1


def test_calls_of_decide_overlap_so_that_a_missing_lock_shows(stub: Stub) -> None:
    together = threading.Barrier(8, timeout=1.5)

    def check_then_apply(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        found = store.get("intent-alpha-01")
        together.wait()
        if found is None:
            store.apply("intent-alpha-01", "SKU-9", 2)
        return 200, {}

    stub.mount(check_then_apply)
    threads = [
        threading.Thread(target=httpx.post, args=(f"{stub.url}/tool",), kwargs={"json": DRILL_A}) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stub.ledger.count == 8


def test_posts_are_counted_at_a_path_or_below_it(stub: Stub, client: httpx.Client) -> None:
    for path in ("/tools/search", "/tools/get_job", "/tool"):
        client.post(path, json={"arguments": {}})
        client.get(path)
    assert [stub.log.posts(path) for path in ("/tool", "/tools/search", "/tools/")] == [1, 1, 2]
