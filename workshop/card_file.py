"""The stamp card as data: its fields, the file beside the notebook, the comparison with the transcripts."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

FIELDS = ("tool_name", "arg_digest", "idempotency_key", "side_effect_counter", "decision")
DRILLS = {"A": "apply", "B": "again", "C": "quantity changed", "D": "key missing"}
DIGEST_PREFIX = 8  # characters of a digest that are enough to tell it from another

Values = dict[str, dict[str, str]]
"""Drill letter to field to what the student wrote."""


class CardUnreadableError(Exception):
    """The card's file holds something else than a card; the message says what to do."""


class Mark(TypedDict):
    """One field compared: whether it agrees, and the transcript's value (None where the drill has not been run)."""

    same: bool
    transcript: str | None


class Miss(TypedDict):
    """A field that did not agree when it was compared; it stays on the card after it is put right."""

    drill: str
    field: str
    written: str
    transcript: str


Marks = dict[str, dict[str, Mark]]


def empty_card() -> Values:
    return {drill: dict.fromkeys(FIELDS, "") for drill in DRILLS}


def read_card(path: str | Path = "card.json") -> Values:
    """What the student wrote: every drill and field, "" where nothing is written or no file is there.

    Raises CardUnreadableError where the file is no card.
    """
    return _read(Path(path))[0]


def read_misses(path: str | Path = "card.json") -> list[Miss]:
    """The fields that once did not agree with the transcripts, in the order they were compared."""
    return _read(Path(path))[1]


def _read(path: Path) -> tuple[Values, list[Miss]]:
    card = empty_card()
    if not path.exists():
        return card, []
    try:
        raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for drill, fields in card.items():
            fields.update({field: str(raw["values"][drill][field]) for field in FIELDS})
        misses: list[Miss] = list(raw["misses"])
    except (ValueError, KeyError, TypeError) as problem:
        raise CardUnreadableError(
            f"{path} is not a stamp card ({type(problem).__name__}): rename it, then run the card's cell again"
        ) from problem
    return card, misses


def write_card(path: Path, values: Values, misses: Sequence[Miss]) -> None:
    """Write the card whole or not at all, so that a crash or a reader in between never sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"values": values, "misses": list(misses)}, file, indent=2)
            file.write("\n")
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def compare_card(values: Values, rows: Mapping[str, Mapping[str, Any]]) -> Marks:
    """Each field against the row of its drill's transcript; ``rows`` holds them by the drill's letter.

    White space around what was written is ignored. Of a digest, eight characters or more are enough.
    """
    return {drill: {field: _mark(field, values[drill][field], rows.get(drill)) for field in FIELDS} for drill in DRILLS}


def _mark(field: str, written: str, row: Mapping[str, Any] | None) -> Mark:
    if row is None:
        return {"same": False, "transcript": None}
    transcript, written = str(row.get(field, "")), written.strip()
    is_prefix = field == "arg_digest" and len(written) >= DIGEST_PREFIX and transcript.startswith(written)
    return {"same": written == transcript or is_prefix, "transcript": transcript}


def missed(values: Values, marks: Marks) -> list[Miss]:
    """Wrong answers, as they are recorded on the card: something was written, and the transcript has something else."""
    return [
        {"drill": drill, "field": field, "written": values[drill][field], "transcript": mark["transcript"]}
        for drill, fields in marks.items()
        for field, mark in fields.items()
        if not mark["same"] and mark["transcript"] is not None and values[drill][field].strip()
    ]
