"""Writes a file whole or not at all: a reader, or a run that is killed, meets what was there before, or all of it."""

from __future__ import annotations

import os
import threading
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Put ``data`` in the place of what is at ``path``. Raises OSError, and nothing is changed then."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        unfinished.write_bytes(data)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
