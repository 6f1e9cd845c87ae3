"""`decide` behind HTTP: nonsense, errors, hangs, and many calls at once."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from stub_server import Decide, StampStore, Stub, server
from tests.stub_server.drills import DRILL_A, order
from tests.waiting import LONG_S, wait_for


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A server that cuts nothing, so that how long a call takes on a busy machine decides nothing."""
    monkeypatch.setattr(server, "DECIDE_SECONDS", math.inf)
    with Stub() as own:
        yield own


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


def test_a_call_may_take_two_seconds() -> None:
    assert server.DECIDE_SECONDS == 2


def test_a_hang_is_cut_and_in_doubt_until_it_ends(stub: Stub, client: httpx.Client, decide: Decide) -> None:
    release = threading.Event()

    def hangs(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        release.wait(2 * LONG_S)
        return decide(payload, store)

    stub.mount(hangs)
    reply = client.post("/tool", json=DRILL_A, timeout=LONG_S)
    assert (reply.status_code, reply.json()["reason"]) == (500, "outcome_unknown")
    assert client.get("/orders/intent-alpha-01").json() == {"key": "intent-alpha-01", "state": "in_doubt"}
    release.set()
    wait_for(lambda: client.get("/orders/intent-alpha-01").json()["state"] == "applied")
    assert stub.ledger.count == 1


def test_a_hang_blocks_nobody(patient: Stub, decide: Decide) -> None:
    began, release = threading.Event(), threading.Event()

    def hangs(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        began.set()
        release.wait(LONG_S)
        return decide(payload, store)

    patient.mount(hangs)
    with patient.client(timeout=LONG_S) as client, ThreadPoolExecutor(1) as elsewhere:
        hanging = elsewhere.submit(client.post, "/tool", json=DRILL_A)
        assert began.wait(LONG_S)
        patient.mount(decide)
        assert client.post("/tool", json=order("intent-other-1")).json()["decision"] == "APPLY"
        assert client.get("/healthz").json() == {"status": "ready"}
        assert not hanging.done()
        release.set()
        assert hanging.result().json()["decision"] == "APPLY"
    assert patient.ledger.count == 2


def test_as_many_hung_calls_as_there_are_threads_leave_room_for_the_next(stub: Stub, decide: Decide) -> None:
    release = threading.Event()

    def hangs(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        release.wait(2 * LONG_S)
        return 200, {}

    stub.mount(hangs)
    with stub.client(timeout=LONG_S, limits=httpx.Limits(max_connections=None)) as many:
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


def test_calls_of_decide_overlap_so_that_a_missing_lock_shows(patient: Stub) -> None:
    together = threading.Barrier(8, timeout=LONG_S)

    def check_then_apply(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        found = store.get("intent-alpha-01")
        together.wait()
        if found is None:
            store.apply("intent-alpha-01", "SKU-9", 2)
        return 200, {}

    patient.mount(check_then_apply)
    with patient.client(timeout=LONG_S) as client, ThreadPoolExecutor(8) as elsewhere:
        for _ in range(8):
            elsewhere.submit(client.post, "/tool", json=DRILL_A)
    assert patient.ledger.count == 8
