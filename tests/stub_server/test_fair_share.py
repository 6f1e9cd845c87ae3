"""Fair share: N calls in any hour for an id, and nobody waits for anybody else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stub_server.fair_share import HOUR, IDS_KEPT, SECOND, FairShare


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> int:
        return round(self.now * SECOND)


def test_n_calls_are_admitted_and_the_next_says_how_long_to_wait() -> None:
    clock = Clock()
    share = FairShare(2, clock)
    assert [share.admit("pair-7") for _ in range(2)] == [0, 0]
    clock.now += 600
    assert share.admit("pair-7") == 3000


def test_the_hour_slides() -> None:
    clock = Clock()
    share = FairShare(2, clock)
    share.admit("pair-7")
    clock.now += 1800
    share.admit("pair-7")
    clock.now += 1799.5
    assert share.admit("pair-7") == 1
    clock.now += 0.5
    assert share.admit("pair-7") == 0
    assert share.admit("pair-7") == 1800


def test_a_refused_call_is_charged_nothing() -> None:
    clock = Clock()
    share = FairShare(1, clock)
    share.admit("pair-7")
    for _ in range(100):
        clock.now += 30
        share.admit("pair-7")
    clock.now = 1000.0 + 3600
    assert share.admit("pair-7") == 0


def test_one_id_does_not_starve_another() -> None:
    share = FairShare(1, Clock())
    assert [share.admit("pair-7"), share.admit("pair-8"), share.admit("pair-7")] == [0, 0, 3600]


def test_clients_without_an_id_share_one() -> None:
    share = FairShare(1, Clock())
    assert [share.admit(None), share.admit(None)] == [0, 3600]


def test_made_up_ids_fill_neither_the_memory_nor_the_room_for_ever() -> None:
    clock = Clock()
    share = FairShare(1, clock)
    assert all(share.admit(f"made-up-{n}") == 0 for n in range(IDS_KEPT))
    assert share.admit("pair-7") == 3600
    clock.now += 3600
    assert share.admit("pair-7") == 0


def test_a_share_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        FairShare(0)


@settings(deadline=None)  # a busy machine is no fault
@given(st.integers(1, 5), st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2 * 10**12)), max_size=80))
def test_no_hour_holds_more_than_n_and_waiting_as_told_is_enough(calls: int, steps: list[tuple[str, int]]) -> None:
    now = 0
    share = FairShare(calls, lambda: now)
    admitted: dict[str, list[int]] = {}
    for name, later in steps:
        now += later
        wait = share.admit(name)
        if wait:
            assert 0 < wait <= 3600
            now += (wait - 1) * SECOND
            assert share.admit(name) == 1
            now += SECOND
            assert share.admit(name) == 0
        times = admitted.setdefault(name, [])
        times.append(now)
        assert sum(now - at < HOUR for at in times) <= calls
