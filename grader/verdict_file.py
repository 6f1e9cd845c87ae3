"""verdict.json beside a graded notebook: what grading writes of a submission, and all that comes after it reads."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.feedback import CheckReport
from grader.plain_data import read_plain
from grader.results import Result
from grader.status import STATUSES
from workshop.lab import Lab

VERDICT_FILE = "verdict.json"
_VERSION = 1


@dataclass(frozen=True)
class Verdict:
    """The document. ``points`` is None where nothing was judged, ``checks`` is by grade_id.

    ``key`` is the result's, which changes with the kit; ``notebook`` is the digest of what was handed in alone.
    """

    version: int
    key: str
    notebook: str
    lab: str
    status: str
    points: int | None
    max_points: int
    first_wrong: str
    notes: tuple[str, ...]
    checks: dict[str, CheckReport]


def verdict_document(result: Result, lab: Lab, key: str, data: bytes) -> str:
    """The text of verdict.json for ``result``, which is that of the notebook ``data``."""
    verdict = Verdict(
        version=_VERSION,
        key=key,
        notebook=notebook_digest(data),
        lab=lab.id,
        status=result.status,
        points=result.points,
        max_points=lab.points,
        first_wrong=result.first_wrong,
        notes=result.notes,
        checks=result.reports,
    )
    return json.dumps(asdict(verdict), indent=1) + "\n"


def notebook_digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_verdict(path: Path) -> Verdict | None:
    """The verdict in the file; None where there is none, or one that this version of the kit did not write."""
    try:
        verdict: Verdict = read_plain(Verdict, json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return None
    return verdict if verdict.version == _VERSION and verdict.status in STATUSES else None
