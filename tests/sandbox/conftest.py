"""A kept sandbox with lab 1's public files in its room, and visits to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from grader.asker import Asker
from grader.bounds import Bounds
from grader.launch import Furniture, Launch
from grader.room import room_files
from tests.sandbox.visit import Visit, Visiting
from workshop.lab import Lab


@pytest.fixture(scope="session")
def room() -> Furniture:
    return room_files(Lab.find("lab1"))


@pytest.fixture
def visit(launch: Launch, room: Furniture) -> Visiting:
    """Call it in ``with`` for a child of its own; visits one after another share a sandbox while all goes well."""

    @contextmanager
    def visiting() -> Iterator[Visit]:
        asker = Asker(launch(room, False), Bounds())
        try:
            one = Visit(asker)
            one.hear({"op": "ready", "checks": []})
            yield one
        finally:
            asker.close()

    return visiting


@pytest.fixture
def inside(visit: Visiting) -> Iterator[Visit]:
    with visit() as one:
        yield one
