"""A kept sandbox with lab 1's public files in its room, and visits to it: code that is run inside and asked about."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from grader.asker import Asker, Heard
from grader.bounds import Bounds
from grader.exam import room_files
from grader.launch import Furniture, Launch
from workshop.lab import Lab


@dataclass(frozen=True)
class Visit:
    """One child in a sandbox; ``run`` gives what a cell printed, and fails the test where the cell raised."""

    asker: Asker

    def hear(self, request: dict[str, Any], *, seconds: float = 20) -> Heard:
        return self.asker.ask(request, until=time.monotonic() + seconds, room_for_output=1 << 20)

    def run(self, source: str, *, seconds: float = 20) -> str:
        heard = self.hear({"op": "cell", "source": source}, seconds=seconds)
        assert heard.message["error"] is None, heard.message["error"]
        return heard.output.decode()

    def value(self, expression: str, setup: str = "") -> Any:
        """What ``expression`` comes to inside, by way of JSON."""
        return json.loads(self.run(f"{setup}\nimport json; print(json.dumps({expression}))"))


Visiting = Callable[[], Any]


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
