"""The server's own data: scenarios, planner scripts and what the tools answer, read from `fixtures/stub_server`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stub_server.errors import Mendable

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "stub_server"


class FixtureInvalid(Mendable):
    """Raised when a data file of the server says what cannot be; the message names the file and the fault."""


def read_fixture(name: str) -> Any:
    """The JSON in one file, named from the folder."""
    return _read(FOLDER / name)


def read_folder(name: str) -> dict[str, Any]:
    """The JSON in each file of a folder, by the file's name without `.json`, in order."""
    folder = FOLDER / name
    if not folder.is_dir():  # a glob would take it for an empty one
        raise FixtureInvalid(f"{folder}: no such folder")
    return {path.stem: _read(path) for path in sorted(folder.glob("*.json"))}


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FixtureInvalid(f"{path}: {error}") from error
