"""The log: every request served, how often each key and each student posted, in memory and in a file."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

ROWS_KEPT = 10_000
NAMES_KEPT = 20_000
KEY_CHARS = 64
FILE_BYTES = 16 * 1024 * 1024


@dataclass(slots=True)
class Served:
    """One request and what became of it. Bodies, query strings and credentials are never kept.

    Attributes:
        size: bytes of the answer's body.
        retry: what the client says about its own retries (`x-stainless-retry-count`), or None.
        error: the type of what student code raised, or why a request was cut, or None.
    """

    method: str
    path: str
    status: int = 0
    size: int = 0
    retry: str | None = None
    key: str | None = None
    student: str | None = None
    error: str | None = None
    at: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "at": datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds"),
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "bytes": self.size,
            "retry": self.retry,
            "key": self.key,
            "student": self.student,
            "error": self.error,
        }


class RequestLog:
    """The newest 10,000 rows, and counts of `POST`s per idempotency key and per student id.

    Both are bounded, so that a long class does not fill the memory: past 20,000 names new ones are counted
    together under `(others)`.

    Args:
        file: where each row is also written, one JSON object a line, as it is served. A file that has grown
            past 16 MiB is kept as `NAME.1`, in place of an earlier one, and started anew.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._rows: deque[Served] = deque(maxlen=ROWS_KEPT)
        self._path = file
        self._file: TextIO | None = None if file is None else _open(file)
        self.total = 0
        self.posts_by_key: dict[str, int] = {}
        self.posts_by_student: dict[str, int] = {}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows kept, oldest first."""
        with self._lock:
            rows = list(self._rows)
        return [row.as_json() for row in rows]

    def posts(self, path: str) -> int:
        """How many of the rows kept are POSTs to ``path``, or below it where it ends in a slash."""
        paths = [row["path"] for row in self.rows if row["method"] == "POST"]
        return sum(one.startswith(path) if path.endswith("/") else one == path for one in paths)

    def add(self, row: Served) -> None:
        row.at = time.time()
        with self._lock:
            self.total += 1
            self._rows.append(row)
            if row.method == "POST":
                _count(self.posts_by_key, row.key)
                _count(self.posts_by_student, row.student)
            if self._file is not None:
                self._write(row)

    def as_json(self) -> dict[str, Any]:
        """What `GET /log` answers."""
        rows = self.rows
        with self._lock:
            return {
                "total": self.total,
                "requests": rows,
                "posts_by_key": dict(self.posts_by_key),
                "posts_by_student": dict(self.posts_by_student),
            }

    def clear(self) -> None:
        """Forget the rows and counts in memory. A file keeps what was written to it."""
        with self._lock:
            self._rows.clear()
            self.total = 0
            self.posts_by_key.clear()
            self.posts_by_student.clear()

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _write(self, row: Served) -> None:
        assert self._file is not None
        assert self._path is not None
        self._file.write(json.dumps(row.as_json()) + "\n")
        if self._file.tell() > FILE_BYTES:
            self._file.close()
            self._path.replace(self._path.with_name(self._path.name + ".1"))
            self._file = _open(self._path)


class Entry:
    """One request's row while it is being served. It is written once, before the last byte of the answer leaves,
    so that whoever has an answer finds it in the log."""

    def __init__(self, log: RequestLog, served: Served) -> None:
        self.served = served
        self._log = log
        self._is_written = False

    def note_payload(self, payload: object) -> None:
        """Note the key in a request's body."""
        self.served.key = key_in(payload)

    def write(self) -> None:
        if not self._is_written:
            self._is_written = True
            self._log.add(self.served)


def key_in(payload: object) -> str | None:
    """The idempotency key in a request's arguments, where there is one to speak of."""
    arguments = payload.get("arguments") if isinstance(payload, dict) else None
    key = arguments.get("idempotency_key") if isinstance(arguments, dict) else None
    return key if isinstance(key, str) and 0 < len(key) <= KEY_CHARS else None


def _open(path: Path) -> TextIO:
    return path.open("a", encoding="utf-8", buffering=1)


def _count(counts: dict[str, int], name: str | None) -> None:
    if name is None:
        return
    if name not in counts and len(counts) >= NAMES_KEPT:
        name = "(others)"
    counts[name] = counts.get(name, 0) + 1
