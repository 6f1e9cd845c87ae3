"""In-process: the same app under httpx's ASGI transport and under a synchronous one, without a socket."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from stub_server import Decide, Room, StubApp, SyncTransport
from tests.stub_server.drills import DRILL_A


@pytest.fixture
def app(decide: Decide) -> StubApp:
    return StubApp(Room(decide))


def drills(app: StubApp) -> list[str]:
    with httpx.Client(transport=SyncTransport(app), base_url="http://stub") as client:
        return [client.post("/tool", json=DRILL_A).json()["decision"] for _ in range(2)]


def test_the_synchronous_transport_starts_no_thread(app: StubApp) -> None:
    threads = threading.active_count()
    assert drills(app) == ["APPLY", "REPLAY_OK"]
    assert threading.active_count() == threads
    assert app.room.ledger.count == 1


def test_it_works_inside_a_running_loop(app: StubApp) -> None:
    async def cell() -> list[str]:
        return drills(app)

    assert asyncio.run(cell()) == ["APPLY", "REPLAY_OK"]


def test_httpx_asgi_transport_works(app: StubApp) -> None:
    async def talk() -> tuple[int, Any]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://stub") as client:
            await client.post("/tool", json=DRILL_A)
            return (await client.get("/nope")).status_code, (await client.get("/ledger")).json()

    status, ledger = asyncio.run(talk())
    assert (status, ledger["side_effect_counter"]) == (404, 1)


def test_errors_are_the_same_as_over_a_socket(app: StubApp) -> None:
    with httpx.Client(transport=SyncTransport(app), base_url="http://stub") as client:
        assert client.post("/tool", content=b" " * 70_000).status_code == 413
        assert client.post("/tool", content=b"NaN").json()["reason"] == "bad_json"
        assert client.post("/tool", content=b"{}", headers={"content-length": "3"}).status_code == 400
        app.room.decide = lambda payload, store: 1 / 0  # type: ignore[assignment, return-value]
        assert client.post("/tool", json=DRILL_A).json()["reason"] == "outcome_unknown"
        assert app.room.log.rows[-1]["error"] == "ZeroDivisionError"


def test_ctrl_c_in_a_notebook_is_not_swallowed(app: StubApp) -> None:
    def interrupted(payload: Any, store: Any) -> tuple[int, dict[str, Any]]:
        raise KeyboardInterrupt

    app.room.decide = interrupted
    with (
        httpx.Client(transport=SyncTransport(app), base_url="http://stub") as client,
        pytest.raises(KeyboardInterrupt),
    ):
        client.post("/tool", json=DRILL_A)


def test_an_app_that_needs_a_loop_is_told_so() -> None:
    async def sleeps(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0)

    with (
        httpx.Client(transport=SyncTransport(sleeps), base_url="http://stub") as client,
        pytest.raises(RuntimeError, match="only an event loop"),
    ):
        client.get("/")
