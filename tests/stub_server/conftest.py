"""Fixtures: a server on loopback with a correct `decide` mounted, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from stub_server import Decide, Stub
from tests.stub_server.drills import decide_for_tests


@pytest.fixture
def decide() -> Decide:
    return decide_for_tests


@pytest.fixture
def stub(decide: Decide) -> Iterator[Stub]:
    with Stub() as running:
        running.mount(decide)
        yield running


@pytest.fixture
def client(stub: Stub) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=stub.url, timeout=10) as talking:
        yield talking
