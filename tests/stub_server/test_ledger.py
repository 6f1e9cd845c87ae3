"""The ledger counts what happened and forgets nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from stub_server import Ledger


def test_order_ids_and_count_go_up_by_one() -> None:
    ledger = Ledger()
    assert [ledger.apply("intent-alpha-01", "SKU-9", 2) for _ in range(2)] == ["lab-1", "lab-2"]
    assert ledger.count == 2


def test_the_same_key_twice_is_two_effects() -> None:
    ledger = Ledger()
    first = ledger.apply("intent-alpha-01", "SKU-9", 2)
    ledger.apply("intent-alpha-01", "SKU-9", 2)
    found = ledger.find("create_lab_order", "intent-alpha-01")
    assert found is not None
    assert found.order_id == first
    assert len(ledger.rows) == 2


def test_order_ids_may_start_anywhere() -> None:
    ledger = Ledger(first_order=4711)
    assert ledger.apply("intent-alpha-01", "SKU-9", 2) == "lab-4711"
    assert ledger.count == 1


def test_the_counter_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        Ledger().count = 0  # type: ignore[misc]


def test_a_row_holds_its_own_copy_of_the_arguments() -> None:
    ledger = Ledger()
    arguments = {"order": "lab-1"}
    ledger.record("refund", None, arguments)
    arguments["order"] = "lab-2"
    assert ledger.rows[0].as_json() == {
        "tool": "refund",
        "key": None,
        "arguments": {"order": "lab-1"},
        "order_id": "lab-1",
    }


def test_an_effect_without_a_key_is_found_under_no_key() -> None:
    ledger = Ledger()
    ledger.record("refund", None, {})
    assert ledger.find("refund", "None") is None


def test_many_threads_lose_no_effect_and_share_no_id() -> None:
    ledger = Ledger()
    with ThreadPoolExecutor(16) as pool:
        ids = list(pool.map(lambda n: ledger.apply(f"intent-{n:05}", "SKU-9", 1), range(2000)))
    assert ledger.count == len(set(ids)) == 2000
