"""Fixtures: a server on loopback with a correct `decide` mounted, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from stub_server import Decide, Stub
from tests.stub_server.drills import solved_decide


@pytest.fixture
def decide() -> Decide:
    return solved_decide()


@pytest.fixture(scope="session")
def server() -> Iterator[Stub]:
    with Stub() as running:
        yield running


@pytest.fixture
def stub(server: Stub, decide: Decide, capsys: pytest.CaptureFixture[str]) -> Stub:
    """The one server of the run, emptied: starting one costs more than most tests."""
    server.play(None)
    server.mount(decide)
    server.reset()
    capsys.readouterr()
    return server


@pytest.fixture
def client(stub: Stub) -> Iterator[httpx.Client]:
    with stub.client(timeout=10) as talking:
        yield talking
