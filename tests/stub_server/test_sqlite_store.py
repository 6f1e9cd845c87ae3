"""The SQLite store: one effect per key by constraint, nothing lost over a restart, no APPLY in doubt."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from stub_server import Decide, Room, StampStore, StubApp, SyncTransport
from stub_server.sqlite_store import OutcomeUnknown, StoreUnusable
from tests.stub_server.drills import DRILL_A, order, solved_decide


def client_of(room: Room) -> httpx.Client:
    return httpx.Client(transport=SyncTransport(StubApp(room)), base_url="http://stub")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "orders.sqlite"


def dies_before_the_record(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
    arguments = payload["arguments"]
    store.apply(arguments["idempotency_key"], arguments["sku"], arguments["qty"])
    raise SystemExit


def test_effects_and_records_survive_a_restart(file: Path, decide: Decide) -> None:
    room = Room(decide, store_file=file)
    with client_of(room) as client:
        first = client.post("/tool", json=DRILL_A).json()
    room.close()
    room = Room(decide, store_file=file)
    with client_of(room) as client:
        again = client.post("/tool", json=DRILL_A).json()
        other = client.post("/tool", json=order("intent-beta-01")).json()
    room.close()
    assert (first["decision"], again["decision"]) == ("APPLY", "REPLAY_OK")
    assert again["order_id"] == first["order_id"] == "lab-1"
    assert (other["order_id"], other["side_effect_counter"]) == ("lab-2", 2)


def test_an_effect_without_its_record_is_in_doubt_and_never_applied_again(file: Path, decide: Decide) -> None:
    room = Room(dies_before_the_record, store_file=file)
    with client_of(room) as client:
        assert client.post("/tool", json=DRILL_A).status_code == 500
    room.close()
    room = Room(decide, store_file=file)
    with client_of(room) as client:
        for body in (DRILL_A, DRILL_A, order("intent-alpha-01", qty=3)):
            reply = client.post("/tool", json=body)
            assert (reply.status_code, reply.json()["reason"]) == (500, "outcome_unknown")
            assert reply.json()["side_effect_counter"] == 1
        assert client.get("/orders/intent-alpha-01").json()["state"] == "applied"
    assert room.log.rows[0]["error"] == "OutcomeUnknown"
    room.close()


def test_sixteen_threads_without_a_lock_make_one_effect(file: Path) -> None:
    room = Room(store_file=file)
    gate = threading.Barrier(16)
    ids: list[str] = []

    def check_then_apply() -> None:
        if room.store.get("intent-alpha-01") is None:
            gate.wait()
            try:
                ids.append(room.store.apply("intent-alpha-01", "SKU-9", 2))
            except OutcomeUnknown:
                ids.append("in doubt")

    threads = [threading.Thread(target=check_then_apply) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids) == ["in doubt"] * 15 + ["lab-1"]
    assert room.ledger.count == 1
    room.close()


def test_refunds_are_kept_too_and_without_a_key_each_is_its_own(file: Path) -> None:
    refund: dict[str, Any] = {"order_id": "lab-1", "amount_cents": 500}
    keyed = {**refund, "idempotency_key": "refund-alpha-01"}
    room = Room(store_file=file)
    with client_of(room) as client:
        for arguments in (refund, refund, keyed):
            assert client.post("/tools/refund", json={"arguments": arguments}).status_code == 200
    room.close()
    room = Room(store_file=file)
    with client_of(room) as client:
        assert client.post("/tools/refund", json={"arguments": keyed}).json()["data"]["replayed"] is True
    assert room.ledger.count == 3
    room.close()


def test_two_servers_cannot_share_a_file(file: Path) -> None:
    room = Room(store_file=file)
    with pytest.raises(StoreUnusable, match="another server"):
        Room(store_file=file)
    room.close()


def test_a_file_of_another_kind_is_refused_and_left_alone(file: Path) -> None:
    file.write_text("these are notes, not a database; " * 100)
    before = file.read_bytes()
    with pytest.raises(StoreUnusable, match="another kind of file"):
        Room(store_file=file)
    assert file.read_bytes() == before


def test_a_store_in_a_file_is_not_emptied_by_reset(file: Path) -> None:
    room = Room(solved_decide(), store_file=file)
    with pytest.raises(RuntimeError, match="another file"):
        room.forget()
    room.close()


def test_a_record_that_is_no_json_is_an_error_and_no_silent_loss(file: Path) -> None:
    room = Room(store_file=file)
    with pytest.raises(TypeError):
        room.store.put("intent-alpha-01", {"at": object()})
    assert room.store.get("intent-alpha-01") is None
    room.close()
