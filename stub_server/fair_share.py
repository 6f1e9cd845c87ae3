"""Fair share: so many calls an hour for each student id, so that one client cannot starve the room."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

SECOND = 1_000_000_000
HOUR = 3600 * SECOND
IDS_KEPT = 1_000


class FairShare:
    """A sliding hour per student id, counted by admission (spec 3, "Fair share").

    What it cannot do: an id is whatever the client writes, so it can be borrowed; and a call counts when it
    arrives, so one that was lost on the way, or made elsewhere, does not. It shares a server out among people who
    mean well and programs that do not know better.

    Args:
        calls: how many are admitted in any hour, for each id.
        clock: monotonic nanoseconds, whole, so that who waits as long as told is never a hair too early.
    """

    def __init__(self, calls: int, clock: Callable[[], int] = time.monotonic_ns) -> None:
        if calls < 1:
            raise ValueError("a fair share is at least 1 call an hour")
        self.calls = calls
        self._clock = clock
        self._lock = threading.Lock()
        self._admitted: dict[str, deque[int]] = {}

    def admit(self, student: str | None) -> int:
        """Charge one call to an id, or say how long it has to wait.

        Returns:
            0 when the call is admitted; otherwise whole seconds, rounded up, until one would be. A refused call
            is charged nothing. Clients without an id share one share. Past 1,000 ids in an hour, new ones wait:
            whoever makes up ids must not fill the memory either.
        """
        name = student or ""
        now = self._clock()
        with self._lock:
            if name not in self._admitted and len(self._admitted) >= IDS_KEPT:
                self._forget_idle(now)
                if len(self._admitted) >= IDS_KEPT:
                    return HOUR // SECOND
            admitted = self._admitted.setdefault(name, deque())
            while admitted and now - admitted[0] >= HOUR:
                admitted.popleft()
            if len(admitted) >= self.calls:
                return -((now - admitted[0] - HOUR) // SECOND)
            admitted.append(now)
            return 0

    def _forget_idle(self, now: int) -> None:
        idle = [name for name, times in self._admitted.items() if not times or now - times[-1] >= HOUR]
        for name in idle:
            del self._admitted[name]
