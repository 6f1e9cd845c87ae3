"""The endpoints over real HTTP: drills, polls, ledger, log, and what an unknown path gets."""

from __future__ import annotations

import json

import httpx
import pytest

from stub_server import Stub
from tests.stub_server.drills import DRILL_A, order


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


def test_posts_are_counted_at_a_path_or_below_it(stub: Stub, client: httpx.Client) -> None:
    for path in ("/tools/search", "/tools/get_job", "/tool"):
        client.post(path, json={"arguments": {}})
        client.get(path)
    assert [stub.log.posts(path) for path in ("/tool", "/tools/search", "/tools/")] == [1, 1, 2]
