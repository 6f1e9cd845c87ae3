"""The stamp store keeps records, counts effects through its ledger, and does not deduplicate."""

from __future__ import annotations

import threading

from stub_server import Ledger, StampStore
from tests.waiting import LONG_S


def test_an_unknown_key_has_no_record() -> None:
    assert StampStore(Ledger()).get("intent-alpha-01") is None


def test_what_was_put_comes_back_as_a_copy() -> None:
    store = StampStore(Ledger())
    record = {"arg_digest": "aa", "tags": ["first"]}
    store.put("intent-alpha-01", record)
    record["tags"] = []
    got = store.get("intent-alpha-01")
    assert got == {"arg_digest": "aa", "tags": ["first"]}
    got["tags"].append("changed")
    assert store.get("intent-alpha-01") == {"arg_digest": "aa", "tags": ["first"]}


def test_apply_does_not_deduplicate() -> None:
    store = StampStore(Ledger())
    assert store.apply("intent-alpha-01", "SKU-9", 2) == "lab-1"
    assert store.apply("intent-alpha-01", "SKU-9", 2) == "lab-2"
    assert store.effects == 2


def test_the_lock_excludes_and_is_released_at_the_end_of_the_block() -> None:
    store = StampStore(Ledger())
    with store.lock:
        assert not store.lock.acquire(blocking=False)
    assert store.lock.acquire(blocking=False)
    store.lock.release()


def test_any_object_with_apply_and_count_serves_as_the_ledger() -> None:
    class Proxy:
        count = 41

        def apply(self, key: str, sku: str, qty: int) -> str:
            self.count += 1
            return f"{key}/{sku}/{qty}"

    store = StampStore(Proxy())
    assert store.apply("intent-alpha-01", "SKU-9", 2) == "intent-alpha-01/SKU-9/2"
    assert store.effects == 42


def test_a_subclass_can_hold_every_get_until_all_have_arrived() -> None:
    gate = threading.Barrier(4, timeout=LONG_S)

    class Held(StampStore):
        def get(self, key: str) -> dict[str, object] | None:
            found = super().get(key)
            gate.wait()
            return found

    store = Held(Ledger())

    def check_then_apply() -> None:
        if store.get("intent-alpha-01") is None:
            store.apply("intent-alpha-01", "SKU-9", 2)

    threads = [threading.Thread(target=check_then_apply) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.effects == 4
