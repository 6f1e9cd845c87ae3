"""Classroom mode: nobody gets in without the token, and a server open to others does not start without one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from stub_server import Decide, Room, StartError, Stub, serve_forever
from stub_server.address import is_loopback
from stub_server.door import Door
from stub_server.fair_share import FairShare
from tests.stub_server.drills import DRILL_A

TOKEN = "blue-door-17"
HELLO: Any = [{"role": "user", "content": "hello"}]


@pytest.fixture
def classroom(decide: Decide) -> Iterator[Stub]:
    door = Door(TOKEN, frozenset({"pair-7", "pair-8"}), FairShare(2))
    with Stub(room=Room(decide, door=door)) as stub:
        yield stub


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/healthz"),
        ("GET", "/ledger"),
        ("GET", "/log"),
        ("GET", "/nope"),
        ("POST", "/tool"),
        ("POST", "/tools/refund"),
        ("POST", "/v1/chat/completions"),
        ("OPTIONS", "/tool"),
    ],
)
@pytest.mark.parametrize(
    "sent", [None, "", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", TOKEN]
)
def test_every_request_needs_the_token(classroom: Stub, method: str, path: str, sent: str | None) -> None:
    headers = {"x-student-id": "pair-7", **({} if sent is None else {"authorization": sent})}
    reply = httpx.request(method, f"{classroom.url}{path}", headers=headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "no_room_token")
    assert reply.headers["www-authenticate"] == "Bearer"
    assert not any(name.startswith("access-control") for name in reply.headers)
    assert classroom.ledger.count == 0


def test_the_token_is_what_a_planner_client_sends_as_its_key(classroom: Stub) -> None:
    with openai.OpenAI(
        base_url=classroom.base_url, api_key=TOKEN, default_headers={"X-Student-Id": "pair-7"}
    ) as client:
        assert client.chat.completions.create(model="polite", messages=HELLO).choices


def post(stub: Stub, student: str | None) -> httpx.Response:
    headers = {"authorization": f"Bearer {TOKEN}", **({"x-student-id": student} if student else {})}
    return httpx.post(f"{stub.url}/tool", json=DRILL_A, headers=headers)


def test_an_id_not_on_the_list_is_refused(classroom: Stub) -> None:
    assert [post(classroom, student).status_code for student in (None, "pair-9", "PAIR-7", "pair-7")] == [
        403,
        403,
        403,
        200,
    ]


def test_one_pair_over_its_share_does_not_keep_another_out(classroom: Stub) -> None:
    assert [post(classroom, "pair-7").status_code for _ in range(3)] == [200, 200, 429]
    refused = post(classroom, "pair-7")
    assert 3500 < int(refused.headers["retry-after"]) <= 3600
    assert refused.json()["error"]["code"] == "fair_share"
    assert post(classroom, "pair-8").status_code == 200
    reads = httpx.get(f"{classroom.url}/ledger", headers={"authorization": f"Bearer {TOKEN}"})
    assert reads.json()["side_effect_counter"] == 1


def test_the_token_is_in_no_log(classroom: Stub) -> None:
    post(classroom, "pair-7")
    assert TOKEN not in repr(classroom.log.as_json())


def test_a_server_open_to_others_without_a_token_does_not_start() -> None:
    with pytest.raises(StartError, match="room token") as raised:
        Stub(host="0.0.0.0")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"host": "0.0.0.0"}, "room token"),
        ({"room_token": "short"}, "at least 8"),
        ({"room_token": "two words here"}, "at least 8"),
        ({"fair_share": "60"}, "60/hour"),
        ({"fair_share": "0/hour"}, "60/hour"),
        ({"fair_share": "60/minute"}, "60/hour"),
        ({"host": "0.0.0.0", "room_token": TOKEN, "fair_share": "60/hour"}, "list of student ids"),
        ({"students_file": Path("none.txt")}, "none.txt"),
        ({"scenario": "none"}, "no scenario"),
        ({"decide_file": Path("none.py")}, "no such file"),
        ({"store_file": Path("/")}, "unable to open"),
    ],
)
def test_settings_that_cannot_be_are_told_in_one_line(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(StartError, match=says) as raised:
        serve_forever(port=0, **settings)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.7", False),
        ("localhost.example.edu", False),
        ("", False),
    ],
)
def test_only_loopback_is_this_machine(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
