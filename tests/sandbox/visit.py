"""A visit to a sandbox: code that is run inside and asked about."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.asker import Asker, Heard


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
