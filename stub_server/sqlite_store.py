"""Ledger and stamp store in one SQLite file: they outlive the process, however it ends."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stub_server.errors import Mendable
from stub_server.ledger import Ledger
from stub_server.write_once import Record, StampStore

# A NULL key is equal to no other, so effects without a key stay free of the constraint.
SCHEMA = """
CREATE TABLE IF NOT EXISTS effects (
    number INTEGER PRIMARY KEY, tool TEXT NOT NULL, key TEXT, arguments TEXT NOT NULL, UNIQUE (tool, key)
);
CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, record TEXT NOT NULL);
"""


class StoreUnusable(Mendable):
    """Raised when a file cannot hold the store. The message is one line that says why and what to do."""


class OutcomeUnknown(RuntimeError):
    """Raised by `apply` for a key whose effect is in the ledger and whose record is not.

    A process died between the two, or the function that was to write the record failed. Applying again would be a
    second effect, and what the first one was asked to do is not on record: so neither APPLY nor REPLAY_OK is true.
    Look the key up (`GET /orders/{key}`).
    """


class Database:
    """One connection, used by one thread at a time, and the file to itself as long as it is open."""

    def __init__(self, file: Path) -> None:
        self._lock = threading.Lock()
        try:
            # Autocommit: each statement is one transaction, and has happened when it returns.
            self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=0.5)
        except sqlite3.Error as error:
            raise _unusable(file, error) from None
        try:
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._connection.execute("PRAGMA journal_mode = WAL")
            # Survives the death of the process. A power cut may lose the last moments, effect and record alike.
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(SCHEMA)
        except sqlite3.Error as error:
            self._connection.close()
            raise _unusable(file, error) from None

    def read(self, query: str) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(query).fetchall()

    def write(self, statement: str, values: tuple[Any, ...]) -> int:
        """Run one statement and return how many rows it wrote."""
        with self._lock:
            return self._connection.execute(statement, values).rowcount

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def _unusable(file: Path, error: sqlite3.Error) -> StoreUnusable:
    return StoreUnusable(f"{file}: {error}; is another server using it, or is it another kind of file?")


class SqliteLedger(Ledger):
    """A ledger whose rows are in the file before they are in memory. One effect per tool and key, by constraint."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database
        self._recording = threading.Lock()
        for tool, key, arguments in database.read("SELECT tool, key, arguments FROM effects ORDER BY number"):
            super().record(tool, key, json.loads(arguments))

    def record(self, tool: str, key: str | None, arguments: Mapping[str, Any]) -> str:
        """Record one effect and return its order id.

        Raises:
            OutcomeUnknown: the tool had its effect under this key already.
        """
        values = (tool, key, json.dumps(dict(arguments)))
        with self._recording:  # so that rows have the same order, and numbers, in both places
            if not self._database.write(
                "INSERT INTO effects (tool, key, arguments) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", values
            ):
                raise OutcomeUnknown(f"{tool} has had its effect under this key")
            return super().record(tool, key, arguments)


class SqliteStore(StampStore):
    """A stamp store whose records are in the file before they are in memory. A record must be JSON."""

    def __init__(self, database: Database, ledger: SqliteLedger) -> None:
        super().__init__(ledger)
        self._database = database
        for key, record in database.read("SELECT key, record FROM records"):
            super().put(key, json.loads(record))

    def put(self, key: str, record: Record) -> None:
        values = (key, json.dumps(record))
        self._database.write("INSERT OR REPLACE INTO records (key, record) VALUES (?, ?)", values)
        super().put(key, record)
