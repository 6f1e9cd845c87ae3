"""Waits for what must happen sooner or later, however busy the machine is: no test rests on how soon."""

from __future__ import annotations

import time
from collections.abc import Callable

LONG_S = 60.0
"""Many times what anything here takes; a test that waits as long has failed."""


def wait_for(happened: Callable[[], object], seconds: float = LONG_S) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
