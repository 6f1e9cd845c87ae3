"""What one server remembers: the mounted function, the store and ledger, the log, the calls under way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stub_server.door import Door
from stub_server.ledger import Ledger
from stub_server.request_log import RequestLog
from stub_server.scenario import Playing, scenarios
from stub_server.sqlite_store import Database, SqliteLedger, SqliteStore
from stub_server.write_once import Decide, StampStore


class Room:
    """The state behind one app. Two rooms share nothing.

    Args:
        store_file: an SQLite file that keeps ledger and records; None keeps them in memory.

    Raises:
        StoreUnusable: the file cannot be used.
    """

    def __init__(
        self,
        decide: Decide | None = None,
        *,
        log: RequestLog | None = None,
        door: Door | None = None,
        store_file: Path | None = None,
    ) -> None:
        self.decide = decide
        self.log = log or RequestLog()
        self.door = door or Door()
        self.playing: Playing | None = None
        self.refunding = threading.Lock()
        self._database = None if store_file is None else Database(store_file)
        self._open_books()
        self._lock = threading.Lock()
        self._under_way: dict[tuple[str, str], int] = {}

    def _open_books(self) -> None:
        if self._database is None:
            self.ledger = Ledger()
            self.store = StampStore(self.ledger)
        else:
            self.ledger = ledger = SqliteLedger(self._database)
            self.store = SqliteStore(self._database, ledger)

    def close(self) -> None:
        """Close the files. Whatever student code still hangs can no longer write to them."""
        self.log.close()
        if self._database is not None:
            self._database.close()

    def play(self, name: str | None) -> None:
        """Play a scenario from its beginning, or none.

        Raises:
            ValueError: there is no scenario of that name; the message lists the names there are.
        """
        if name is not None and name not in scenarios():
            raise ValueError(f"no scenario {name!r}; there are {', '.join(scenarios())}")
        self.playing = None if name is None else Playing(scenarios()[name])

    def forget(self) -> str:
        """Start again with an empty ledger, store and log. Returns one line that says what is gone.

        Raises:
            RuntimeError: the store is in a file, and a file is not emptied behind anybody's back.
        """
        if self._database is not None:
            raise RuntimeError("the store is in a file: stop the server and start it with another file")
        line = (
            f"forgotten: {self.ledger.count} effects with their records, {self.log.total} log rows;"
            f" {'the mounted function stays' if self.decide else 'no function is mounted'}"
        )
        if self.playing is not None:
            self.playing = Playing(self.playing.scenario)
        self._open_books()
        self.log.clear()
        return line

    @contextmanager
    def under_way(self, tool: str, key: str | None) -> Iterator[None]:
        """Mark a call with this key as begun and not ended, however long its thread hangs."""
        if key is None:
            yield
            return
        with self._lock:
            self._under_way[tool, key] = self._under_way.get((tool, key), 0) + 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way[tool, key] -= 1
                if not self._under_way[tool, key]:
                    del self._under_way[tool, key]

    def look_up(self, tool: str, key: str) -> dict[str, Any]:
        """What a poll may say of a key (spec 3, `GET /orders/{key}`).

        `applied` when the ledger holds an effect; `in_doubt` while a call with the key is still running
        without one; otherwise `never_seen`.
        """
        with self._lock:
            is_under_way = (tool, key) in self._under_way
        # In this order, or a call that ends in between would look as if it had never been.
        effect = self.ledger.find(tool, key)
        if effect is not None:
            return {"key": key, "state": "applied", "order_id": effect.order_id}
        return {"key": key, "state": "in_doubt" if is_under_way else "never_seen"}
