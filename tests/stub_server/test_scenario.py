"""Scenarios: faults come as written, the effect before the failure really happens, and twice is the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stub_server import Decide, Room, Stub, StubApp, SyncTransport
from stub_server.fixtures import FixtureInvalid, read_folder
from stub_server.scenario import OK, Step, parse_step, scenarios
from tests.stub_server.drills import DRILL_A
from tests.waiting import LONG_S, wait_for

REFUND: dict[str, Any] = {"arguments": {"order_id": "lab-1", "amount_cents": 500, "idempotency_key": "refund-alpha-01"}}
SEARCH = {"arguments": {"q": "retry"}}


@pytest.fixture(params=["socket", "by hand"])
def either(request: pytest.FixtureRequest, decide: Decide) -> Iterator[tuple[Room, httpx.Client]]:
    """A room and a client of it, once over a socket and once in-process: the faults are the same."""
    room = Room(decide)
    if request.param == "by hand":
        with httpx.Client(transport=SyncTransport(StubApp(room)), base_url="http://stub", timeout=LONG_S) as client:
            yield room, client
    else:
        with Stub(room=room) as stub, stub.client(timeout=LONG_S) as client:
            yield room, client


@pytest.mark.parametrize(
    ("scenario", "path", "body"),
    [("refund", "/tools/refund", REFUND), ("order", "/tool", DRILL_A)],
)
@pytest.mark.parametrize(("fault", "raised"), [("times-out", httpx.ReadTimeout), ("drops", httpx.RemoteProtocolError)])
def test_the_effect_lands_before_the_answer_is_lost(
    either: tuple[Room, httpx.Client], scenario: str, path: str, body: Any, fault: str, raised: type[Exception]
) -> None:
    room, client = either
    room.play(f"{scenario}-{fault}")
    patience = httpx.Timeout(LONG_S, read=0.5 if fault == "times-out" else LONG_S)
    with pytest.raises((raised, httpx.ReadError) if fault == "drops" else raised):
        client.post(path, json=body, timeout=patience)
    told = {"times-out": "apply_then_hang", "drops": "apply_then_drop"}[fault]
    wait_for(lambda: room.log.rows and room.log.rows[0]["error"] == told)
    assert room.ledger.count == 1
    assert client.post(path, json=body).status_code == 200
    assert room.ledger.count == 1
    assert list(room.log.posts_by_key.values()) == [2]


def test_a_status_comes_with_its_headers_and_applies_nothing(either: tuple[Room, httpx.Client]) -> None:
    room, client = either
    room.play("rate-limited")
    replies = [client.post("/tools/refund", json=REFUND) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [429, 429, 200]
    assert [reply.headers.get("retry-after") for reply in replies] == ["1", "2", None]
    assert replies[0].json()["error"] == "rate_limited"
    assert room.ledger.count == 1
    assert room.log.posts_by_key == {"refund-alpha-01": 3}


def test_late_huge_and_broken_answers_come_in_turn(either: tuple[Room, httpx.Client]) -> None:
    room, client = either
    room.play("slow-then-huge")
    with pytest.raises(httpx.ReadTimeout):
        client.post("/tools/search", json=SEARCH, timeout=httpx.Timeout(LONG_S, read=0.1))
    assert len(client.post("/tools/search", json=SEARCH).json()) == 1_000_000 - 2
    with pytest.raises(ValueError, match="Expecting"):
        client.post("/tools/search", json=SEARCH).json()
    assert client.post("/tools/search", json=SEARCH).json()["ok"] is True


def test_a_redirect_is_a_302_to_where_it_says(either: tuple[Room, httpx.Client]) -> None:
    room, client = either
    room.play("redirected")
    reply = client.post("/tools/http_get", json={"arguments": {"url": "https://example.edu/retry"}})
    assert (reply.status_code, reply.headers["location"]) == (302, "https://example.invalid/elsewhere")


def test_a_header_chooses_a_scenario_for_one_call(either: tuple[Room, httpx.Client]) -> None:
    _, client = either
    scripted = {"x-scenario": "rate-limited"}
    assert client.post("/tools/search", json=SEARCH, headers=scripted).status_code == 429
    assert client.post("/tools/search", json=SEARCH).status_code == 200
    third = {**scripted, "x-stainless-retry-count": "2"}
    assert client.post("/tools/search", json=SEARCH, headers=third).status_code == 200


@pytest.mark.parametrize("name", ["no-such", "../tools", "\xff"])
def test_a_header_that_names_no_scenario_is_400(stub: Stub, name: str) -> None:
    reply = httpx.post(f"{stub.url}/tools/search", json=SEARCH, headers={b"x-scenario": name.encode("latin-1")})
    assert reply.status_code == 400
    assert reply.json()["error"]["code"] == "unknown_scenario"


def test_the_same_scenario_gives_the_same_bytes_twice(stub: Stub, client: httpx.Client) -> None:
    def play() -> list[bytes]:
        stub.play("rate-limited")
        return [client.post("/tools/search", json=SEARCH).content for _ in range(4)]

    assert play() == play()


def test_a_scenario_that_is_not_there_lists_those_that_are(stub: Stub) -> None:
    with pytest.raises(ValueError, match="refund-drops"):
        stub.play("refund-hangs")


def test_reset_starts_the_scenario_again(stub: Stub, client: httpx.Client) -> None:
    stub.play("rate-limited")
    assert [client.post("/tools/search", json=SEARCH).status_code for _ in range(3)] == [429, 429, 200]
    stub.reset()
    assert client.post("/tools/search", json=SEARCH).status_code == 429
    stub.play(None)
    assert client.post("/tools/search", json=SEARCH).status_code == 200


@pytest.mark.parametrize(
    ("written", "step"),
    [
        ("ok", OK),
        ("bad_json", Step("bad_json")),
        ({"delay_ms": 300}, Step("delay_ms", 300)),
        ({"status": 429, "retry-after": "2"}, Step("status", 429, headers=(("retry-after", "2"),))),
        ({"redirect": "http://a"}, Step("redirect", to="http://a")),
    ],
)
def test_steps_are_read_as_written(written: Any, step: Step) -> None:
    assert parse_step("x", written) == step


@pytest.mark.parametrize(
    "written",
    [
        "okay",
        "delay_ms",
        {},
        {"delay_ms": -1},
        {"delay_ms": True},
        {"delay_ms": "300"},
        {"ok": 1},
        {"status": 200},
        {"status": 429, "retry_after": "2"},
        {"status": 429, "retry-after": 2},
        {"huge": 10**12},
        {"redirect": 3},
        {"delay_ms": 1, "retry-after": "1"},
        None,
        ["ok"],
    ],
)
def test_a_step_that_is_none_is_refused_at_once(written: Any) -> None:
    with pytest.raises(FixtureInvalid):
        parse_step("x", written)


def test_every_scenario_shipped_says_what_it_is() -> None:
    assert len(scenarios()) >= 9
    assert all(scenario.about and scenario.paths for scenario in scenarios().values())


def test_a_missing_folder_of_data_is_told_and_no_empty_one() -> None:
    with pytest.raises(FixtureInvalid, match="nothing-like-it: no such folder"):
        read_folder("nothing-like-it")
