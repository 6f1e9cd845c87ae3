"""The tools: reads answer from their table, a refund is made once per key and once per call without one."""

from __future__ import annotations

import threading
from typing import Any

import httpx
import pytest

from stub_server import Stub

REFUND: dict[str, Any] = {"order_id": "lab-1", "amount_cents": 500}
WITH_KEY = {**REFUND, "idempotency_key": "refund-alpha-01"}


def call(client: httpx.Client, name: str, arguments: Any) -> httpx.Response:
    return client.post(f"/tools/{name}", json={"arguments": arguments})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"q": "retry"}),
        ("http_get", {"url": "https://example.edu/retry"}),
        ("get_job", {"job_id": "job-1"}),
    ],
)
def test_a_read_answers_and_has_no_effect(client: httpx.Client, name: str, arguments: Any) -> None:
    reply = call(client, name, arguments)
    assert reply.status_code == 200
    assert reply.json()["ok"] is True
    assert reply.json()["data"]
    assert client.get("/ledger").json()["side_effect_counter"] == 0


@pytest.mark.parametrize(
    ("name", "arguments", "status", "error"),
    [
        ("serch", {"q": "retry"}, 404, "not_found"),
        ("Search", {"q": "retry"}, 404, "not_found"),
        ("search ", {"q": "retry"}, 404, "not_found"),
        ("search", {"q": "unheard of"}, 404, "not_found"),
        ("get_job", {"job_id": "job-9"}, 404, "not_found"),
        ("search", None, 400, "invalid_args"),
        ("search", [1], 400, "invalid_args"),
        ("search", {}, 400, "invalid_args"),
        ("search", {"q": 1}, 400, "invalid_args"),
        ("search", {"q": "retry", "page": 2}, 400, "invalid_args"),
        ("refund", {**REFUND, "amount_cents": True}, 400, "invalid_args"),
        ("refund", {**REFUND, "amount_cents": 500.0}, 400, "invalid_args"),
        ("refund", {**REFUND, "amount_cents": "500"}, 400, "invalid_args"),
        ("refund", {**REFUND, "amount_cents": 0}, 400, "invalid_args"),
        ("refund", {**REFUND, "idempotency_key": "short"}, 400, "invalid_args"),
        ("refund", {**REFUND, "idempotency_key": None}, 400, "invalid_args"),
    ],
)
def test_a_wrong_call_is_told_in_the_words_of_the_retry_table(
    client: httpx.Client, name: str, arguments: Any, status: int, error: str
) -> None:
    reply = call(client, name, arguments)
    assert (reply.status_code, reply.json()["ok"], reply.json()["error"]) == (status, False, error)
    assert client.get("/ledger").json()["side_effect_counter"] == 0


def test_a_body_that_is_no_strict_json_gets_an_error_body(client: httpx.Client) -> None:
    reply = client.post("/tools/search", content=b'{"arguments": {"q": NaN}}')
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "bad_json")


def test_a_refund_with_a_key_is_made_once(client: httpx.Client) -> None:
    first, again = (call(client, "refund", WITH_KEY).json() for _ in range(2))
    assert first["data"] == {"refund_id": "lab-1", "replayed": False}
    assert again["data"] == {"refund_id": "lab-1", "replayed": True}
    assert again["side_effect_counter"] == 1


def test_a_refund_without_a_key_is_made_each_time(client: httpx.Client) -> None:
    assert [call(client, "refund", REFUND).json()["data"]["refund_id"] for _ in range(2)] == ["lab-1", "lab-2"]


def test_a_key_used_for_another_refund_is_409_and_final(client: httpx.Client) -> None:
    call(client, "refund", WITH_KEY)
    other = call(client, "refund", {**WITH_KEY, "amount_cents": 501})
    assert (other.status_code, other.headers["x-should-retry"]) == (409, "false")
    assert client.get("/ledger").json()["side_effect_counter"] == 1


def test_a_refund_can_be_polled_and_is_no_order(client: httpx.Client) -> None:
    assert client.get("/refunds/refund-alpha-01").json()["state"] == "never_seen"
    call(client, "refund", WITH_KEY)
    assert client.get("/refunds/refund-alpha-01").json() == {
        "key": "refund-alpha-01",
        "state": "applied",
        "order_id": "lab-1",
    }
    assert client.get("/orders/refund-alpha-01").json()["state"] == "never_seen"


def test_sixteen_refunds_at_once_with_one_key_are_one(stub: Stub) -> None:
    together = threading.Barrier(16)

    def post() -> None:
        with stub.client() as own:
            together.wait()
            assert call(own, "refund", WITH_KEY).status_code == 200

    threads = [threading.Thread(target=post) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stub.ledger.count == 1
