"""What grading one notebook gave, as plain data, and where it is kept: a file for each, under the submission's own key.

The same result is what ``admit-one grade`` computes ahead, what plain ``nbgrader autograde`` computes on the way, and
what is found again on a rerun: both give the same marks, and a rerun does no work twice (spec 4, the class).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from grader.course import Course
from grader.feedback import CheckReport
from grader.grading import CellOutput
from grader.plain_data import read_plain
from grader.whole_file import write_whole

_SOMETHING_HAPPENED = ("tampered", "timed_out", "crashed")


@dataclass(frozen=True)
class Result:
    """What grading one notebook gave, as plain data: the reports by grade_id, cell outputs by cell id.

    ``notes`` begin with what explains ``status``, where something happened.
    """

    status: str
    notes: tuple[str, ...]
    reports: dict[str, CheckReport]
    outputs: dict[str, CellOutput]

    @property
    def points(self) -> int | None:
        """None where nothing was judged: that is not 0."""
        if self.status == "could_not_grade":
            return None
        return sum(report.points for report in self.reports.values())

    @property
    def first_wrong(self) -> str:
        """What happened, where something did: a name that is missing then is only what came of it."""
        if self.status in _SOMETHING_HAPPENED and self.notes:
            return self.notes[0]
        return next((report.first_wrong for report in self.reports.values() if report.first_wrong), "")

    def to_json(self) -> str:
        return json.dumps(asdict(self)) + "\n"


def submission_key(data: bytes, version: str) -> str:
    """Names a result: the submission's bytes, and the version of all else that its mark depends on."""
    return hashlib.sha256(data + b"\0" + version.encode()).hexdigest()


class ResultStore:
    """Results as files below the course's work folder; each appears whole or not at all."""

    def __init__(self, course: Course) -> None:
        self._folder = course.root / course.work / "results"

    def get(self, key: str) -> Result | None:
        try:
            result: Result = read_plain(Result, json.loads((self._folder / f"{key}.json").read_bytes()))
        except (FileNotFoundError, ValueError, RecursionError):  # a half-written one does not count
            return None
        return result

    def put(self, key: str, result: Result) -> None:
        """Keep ``result``; what could not be graded is not kept, so that the next run tries again."""
        if result.status == "could_not_grade":
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._folder / f"{key}.json", result.to_json().encode())
