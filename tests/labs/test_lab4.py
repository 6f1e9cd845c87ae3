"""Lab 4's rules, held against the solved notebook: digests, drills over HTTP, requests that overlap, the card."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.drive import drive
from grader.drivers import World
from grader.made_up import MadeUp, solution_cells
from stub_server.ledger import Ledger
from stub_server.server import Stub
from stub_server.write_once import StampStore
from tests.solved import solved_namespace
from tests.submissions import groups_lost, judged_here, made_up, released_notebook
from workshop import overlap
from workshop.card_file import compare_card
from workshop.lab import Lab
from workshop.stamp import (
    SCHEMA_FILE,
    SCHEMA_SHA256,
    BrokenLock,
    Drills,
    StoreDied,
    StoreThatDies,
    StoreWithoutLock,
    decide_at_once,
    send_like_a_library,
)

LAB = Lab.find("lab4_stamp_card")
DRILL_A_DIGEST = "b52a59f92584c188d1d10baa945cff6ec28593fce92f0c2291a3c46f9f5e7df4"
DRILL_C_DIGEST = "9bc2ef577e5d29df8810a1d3c4d49583aaeb00a12dd06534ee0e54533feeb5f2"
RUNS = 50


@pytest.fixture(scope="module")
def solved() -> dict[str, Any]:
    return solved_namespace(LAB.id)


@pytest.fixture
def stub(solved: dict[str, Any]) -> Iterator[Stub]:
    with Stub() as stub:
        stub.mount(solved["decide"])
        yield stub


@pytest.fixture
def client(stub: Stub) -> Iterator[httpx.Client]:
    with stub.client() as client:
        yield client


def run_all_drills(stub: Stub) -> Drills:
    drills = Drills(LAB, stub)
    for letter in "ABCD":
        drills.run(letter)
    return drills


@pytest.mark.parametrize(("drill", "digest"), [("a", DRILL_A_DIGEST), ("b", DRILL_A_DIGEST), ("c", DRILL_C_DIGEST)])
def test_the_drills_have_the_pinned_digests(solved: dict[str, Any], drill: str, digest: str) -> None:
    assert solved["canonical_digest"](LAB.read_json(f"drill-{drill}.json")["arguments"]) == digest


def test_the_four_drills_over_http_make_one_order(stub: Stub, client: httpx.Client) -> None:
    drills = list(run_all_drills(stub).transcripts.values())

    assert [drill.status for drill in drills] == [200, 200, 409, 400]
    assert [drill.body["decision"] for drill in drills] == ["APPLY", "REPLAY_OK", "REJECT", "REJECT"]
    assert [drill.body["side_effect_counter"] for drill in drills] == [1, 1, 1, 1]
    assert drills[0].body["order_id"] == drills[1].body["order_id"] == "lab-1"
    assert client.get("/ledger").json()["side_effect_counter"] == 1


def test_a_client_that_heeds_the_header_sends_a_refused_request_once(stub: Stub, client: httpx.Client) -> None:
    run_all_drills(stub)
    changed = LAB.read_json("drill-c.json")

    assert send_like_a_library(client, changed, heeds_the_header=False) == 3
    assert send_like_a_library(client, changed, heeds_the_header=True) == 1


def test_host_write_gives_back_a_refusal_with_its_stamp(solved: dict[str, Any], client: httpx.Client) -> None:
    solved["host_write"](LAB.read_json("drill-a.json"), client)
    reply = solved["host_write"](LAB.read_json("drill-c.json"), client)

    assert (reply["decision"], reply["side_effect_counter"]) == ("REJECT", 1)
    assert reply["stamp"] == {
        "tool_name": "create_lab_order",
        "arg_digest": DRILL_C_DIGEST,
        "idempotency_key": "intent-alpha-01",
    }


def test_a_card_filled_from_the_transcripts_agrees_with_them(solved: dict[str, Any], stub: Stub) -> None:
    rows = run_all_drills(stub).card_rows(solved["canonical_digest"])
    marks = compare_card(rows, rows)

    assert [row["arg_digest"] for row in rows.values()] == [DRILL_A_DIGEST, DRILL_A_DIGEST, DRILL_C_DIGEST, ""]
    assert all(mark["same"] for fields in marks.values() for mark in fields.values())


def test_a_drill_that_is_run_again_leaves_its_transcript_alone(stub: Stub) -> None:
    run_all_drills(stub)
    drills = Drills(LAB, stub)  # as by a cell that is run again
    again = drills.run("A")

    assert again.body["decision"] == "REPLAY_OK"
    assert drills.transcripts["A"].body["decision"] == "APPLY"


def test_a_ledger_that_is_begun_anew_begins_the_drills_anew(stub: Stub) -> None:
    drills = run_all_drills(stub)
    stub.reset()

    assert drills.transcripts == {}
    assert drills.run("A").body["decision"] == drills.transcripts["A"].body["decision"] == "APPLY"


def test_a_drill_without_a_decision_is_on_no_card_until_it_gets_one(solved: dict[str, Any]) -> None:
    with Stub() as stub:
        drills = Drills(LAB, stub)
        drills.run("A")  # nothing is mounted yet
        assert drills.card_rows(solved["canonical_digest"]) == {}
        stub.mount(solved["decide"])
        drills.run("A")
        assert drills.card_rows(solved["canonical_digest"])["A"]["decision"] == "APPLY"


def overlapping(decide: Any, hold: str) -> tuple[str, int]:
    """What the check is told of sixteen requests with one stamp, and the orders on the ledger."""
    ledger = Ledger()
    case = {"payload": LAB.read_json("drill-a.json"), "times": 16, "hold": hold}
    reply = drive("lab4.overlap", [decide], case, World(ledger, Lab.find("lab4")), tell_message=True)
    return reply.text, ledger.count


def mutant_namespace(name: str) -> dict[str, Any]:
    mutant = next(student for student in made_up("mutants", LAB.id) if student.name == name)
    return solved_namespace(LAB.id, mutant.cells)


ONE_ORDER = {"decisions": {"APPLY": 1, "REPLAY_OK": 15}, "orders_for_a_new_key": 1, "applied": ["lab-1"]}


@pytest.mark.parametrize("hold", ["look_up", "record"])
def test_sixteen_requests_at_once_make_one_order_every_time(solved: dict[str, Any], hold: str) -> None:
    decide = solved["decide"]
    for _ in range(RUNS):
        told, orders = overlapping(decide, hold)
        assert json.loads(told) == ONE_ORDER
        assert orders == 1


@pytest.mark.parametrize("hold", ["look_up", "record"])
def test_the_right_solution_waits_for_no_time_limit(
    solved: dict[str, Any], monkeypatch: pytest.MonkeyPatch, hold: str
) -> None:
    for limit in ("LOOK_UP_ROUNDS", "STEP_ROUNDS"):
        monkeypatch.setattr(overlap, limit, 10**9)  # nothing but what is waited for can end a wait
    assert json.loads(overlapping(solved["decide"], hold)[0]) == ONE_ORDER


@pytest.mark.parametrize(
    ("name", "hold"), [("no_lock", "look_up"), ("no_lock", "record"), ("put_outside_lock", "record")]
)
def test_a_race_is_found_every_time(name: str, hold: str) -> None:
    decide = mutant_namespace(name)["decide"]
    for _ in range(RUNS):
        told, orders = overlapping(decide, hold)
        assert json.loads(told)["decisions"] == {"APPLY": 16}
        assert orders == 16


def test_a_record_outside_the_lock_is_told_from_no_lock_every_time() -> None:
    decide = mutant_namespace("put_outside_lock")["decide"]
    for _ in range(RUNS):
        _, orders = overlapping(decide, "look_up")
        assert orders == 1


@pytest.mark.parametrize("hold", ["look_up", "record"])
@pytest.mark.parametrize("name", ["own_lock", "looks_twice", "one_worker"])
def test_another_sound_lock_makes_one_order_every_time(name: str, hold: str) -> None:
    variant = next(student for student in made_up("variants", LAB.id) if student.name == name)
    decide = solved_namespace(LAB.id, variant.cells)["decide"]
    for _ in range(5):
        assert overlapping(decide, hold)[1] == 1


def test_the_lock_let_go_between_look_up_and_order_is_found_every_time(solved: dict[str, Any]) -> None:
    def decide(payload: Any, store: Any) -> tuple[int, dict[str, Any]]:
        args = payload["arguments"]
        key, digest = args["idempotency_key"], solved["canonical_digest"](args)
        with store.lock:
            record = store.get(key)
        if record is not None:
            return 200, {"decision": "REPLAY_OK", "side_effect_counter": store.effects, **record}
        with store.lock:
            record = {"arg_digest": digest, "order_id": store.apply(key, args["sku"], args["qty"])}
            store.put(key, record)
        return 200, {"decision": "APPLY", "side_effect_counter": store.effects, **record}

    for _ in range(RUNS):
        assert overlapping(decide, "record")[1] == 16


def test_asking_for_the_lock_again_and_again_is_sound(solved: dict[str, Any]) -> None:
    def decide(payload: Any, store: Any) -> Any:
        lock = store.lock
        while not lock.acquire(blocking=False):
            time.sleep(0)
        store.lock = nullcontext()
        try:
            return solved["decide"](payload, store)
        finally:
            store.lock = lock
            lock.release()

    for hold in ("look_up", "record"):
        assert overlapping(decide, hold)[1] == 1


def test_a_lock_that_is_never_let_go_ends_the_check_with_a_sentence() -> None:
    def decide(payload: Any, store: Any) -> tuple[int, dict[str, Any]]:
        store.lock.acquire()
        return 200, {"decision": "APPLY"}

    told, _ = overlapping(decide, "look_up")
    assert "15 requests got no reply" in told


def test_without_its_lock_the_solution_makes_an_order_for_every_request(solved: dict[str, Any]) -> None:
    ledger = Ledger()
    decisions = decide_at_once(solved["decide"], LAB.read_json("drill-a.json"), StoreWithoutLock(ledger, 16), 16)

    assert decisions == {"APPLY": 16}
    assert ledger.count == 16


def test_the_broken_lock_answers_as_a_lock_does_and_keeps_nobody_out(solved: dict[str, Any]) -> None:
    assert not {name for name in dir(threading.Lock()) if not name.startswith("_")} - {
        *dir(BrokenLock()),
        "acquire_lock",  # old names of the same
        "release_lock",
        "locked_lock",
    }
    lock = BrokenLock()
    with lock:
        assert lock.acquire(blocking=False)
        assert not lock.locked()
    lock.release()


def test_a_crash_between_effect_and_record_makes_a_second_order(solved: dict[str, Any]) -> None:
    ledger = Ledger()
    store = StoreThatDies(ledger)
    with pytest.raises(StoreDied):
        solved["decide"](LAB.read_json("drill-a.json"), store)

    assert solved["decide"](LAB.read_json("drill-a.json"), store)[1]["decision"] == "APPLY"
    assert ledger.count == 2


def test_the_schema_that_is_released_is_the_frozen_one() -> None:
    assert hashlib.sha256((LAB.data / SCHEMA_FILE).read_bytes()).hexdigest() == SCHEMA_SHA256


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ORDERS = st.fixed_dictionaries(
    {
        "sku": st.sampled_from(["SKU-9", "CUP-2"]),
        "qty": st.integers(0, 3),
        "idempotency_key": st.sampled_from(["intent-alpha-01", "intent-beta-01"]),
    }
)


@given(st.dictionaries(st.text(), JSON, max_size=5), st.randoms(use_true_random=False))
def test_the_digest_does_not_depend_on_the_order_of_keys(
    solved: dict[str, Any], args: dict[str, Any], dice: Any
) -> None:
    shuffled = list(args.items())
    dice.shuffle(shuffled)

    assert solved["canonical_digest"](dict(shuffled)) == solved["canonical_digest"](args)


@given(JSON | st.fixed_dictionaries({"tool_name": st.just("create_lab_order") | JSON, "arguments": ORDERS | JSON}))
def test_any_json_gets_a_decision_and_a_refusal_makes_no_order(solved: dict[str, Any], payload: Any) -> None:
    ledger = Ledger()
    status, body = solved["decide"](payload, StampStore(ledger))

    assert (status, body["decision"]) in [(200, "APPLY"), (400, "REJECT")]
    assert body["side_effect_counter"] == ledger.count == (body["decision"] == "APPLY")


@given(st.lists(ORDERS, max_size=12))
def test_there_are_as_many_orders_as_keys_that_were_applied(
    solved: dict[str, Any], orders: list[dict[str, Any]]
) -> None:
    ledger = Ledger()
    store = StampStore(ledger)
    for args in orders:
        solved["decide"]({"tool_name": "create_lab_order", "arguments": args}, store)

    assert ledger.count == len({args["idempotency_key"] for args in orders if args["qty"]})


def test_untouched_every_point_is_lost() -> None:
    verdicts = judged_here(LAB.id, MadeUp("untouched", solution_cells(released_notebook(LAB.id)), (), None))

    assert groups_lost(verdicts) == {group.id for check in LAB.checks for group in check.groups}


def test_every_misconception_has_a_wrong_solution_named_after_it() -> None:
    assert {student.name for student in made_up("mutants", LAB.id)} == set(LAB.misconceptions)
    assert all(student.hint == student.name for student in made_up("mutants", LAB.id))
