"""`decide` behind HTTP: nonsense, errors, hangs, and many calls at once."""

from __future__ import annotations

import threading
import time
from typing import Any

import httpx
import pytest

from stub_server import Decide, StampStore, Stub, server
from tests.stub_server.drills import DRILL_A, order


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


def wait_for_state(client: httpx.Client, state: str) -> None:
    until = time.monotonic() + 60
    while (found := client.get("/orders/intent-alpha-01").json()["state"]) != state:
        assert time.monotonic() < until, f"it is {found}, not {state}"


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


def test_a_hang_is_cut_in_doubt_until_it_ends_and_blocks_nobody(
    stub: Stub, client: httpx.Client, decide: Decide
) -> None:
    release = threading.Event()

    def hangs(payload: Any, store: StampStore) -> tuple[int, dict[str, Any]]:
        release.wait(60)
        return decide(payload, store)

    stub.mount(hangs)
    replies: list[httpx.Response] = []
    posting = threading.Thread(target=lambda: replies.append(httpx.post(f"{stub.url}/tool", json=DRILL_A, timeout=30)))
    posting.start()
    wait_for_state(client, "in_doubt")
    stub.mount(decide)
    assert client.post("/tool", json=order("intent-other-1")).json()["decision"] == "APPLY"
    assert client.get("/healthz").json() == {"status": "ready"}
    posting.join()
    assert (replies[0].status_code, replies[0].json()["reason"]) == (500, "outcome_unknown")
    assert client.get("/orders/intent-alpha-01").json() == {"key": "intent-alpha-01", "state": "in_doubt"}
    release.set()
    wait_for_state(client, "applied")
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
