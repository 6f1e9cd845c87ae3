"""The reader of lab.toml: a lab's title, blocks, minutes, checks, points and misconceptions (spec 1, layout)."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from stub_server.errors import Mendable

REPOSITORY = Path(__file__).resolve().parent.parent


class LabNotFound(Mendable):
    """No lab.toml answers to the name; the message lists the labs there are."""


class LabInvalid(Mendable):
    """A lab.toml says something that cannot be: the message names the file and what to mend."""


@dataclass(frozen=True)
class Block:
    """A timed part of a lab: its place on the timing board, and what you can do afterwards (``outcome``)."""

    id: str
    title: str
    minutes: int
    outcome: str


@dataclass(frozen=True)
class Group:
    """Points that stand or fall together: all cases of the group right, or none of its points."""

    id: str
    title: str
    points: int


@dataclass(frozen=True)
class Check:
    """One grading cell: the block it belongs to and its groups. ``called`` begins the sentence that tells of a case."""

    id: str
    block: str
    title: str
    called: str
    groups: tuple[Group, ...]

    @property
    def points(self) -> int:
        return sum(group.points for group in self.groups)


@dataclass(frozen=True)
class Misconception:
    """A named mistake and the one sentence that hints at it without giving the answer away."""

    id: str
    title: str
    hint: str


@dataclass(frozen=True, eq=False)
class Lab:
    """A lab as lab.toml describes it, and where its public files are.

    ``rehearsal`` names the wrong solutions (tests/mutants/LAB) that a made-up class hands in; ``decisions`` are the
    words a right answer can decide by; ``programs`` are what a stretch can use if it is installed, each with what for.
    """

    id: str
    number: int
    title: str
    summary: str
    packet: str
    permit_names: tuple[str, ...]
    rehearsal: tuple[str, ...]
    decisions: tuple[str, ...]
    programs: dict[str, str]
    blocks: tuple[Block, ...]
    checks: tuple[Check, ...]
    misconceptions: dict[str, Misconception]
    data: Path
    permits: Path

    @property
    def minutes(self) -> int:
        return sum(block.minutes for block in self.blocks)

    @property
    def points(self) -> int:
        return sum(check.points for check in self.checks)

    @property
    def prefix(self) -> str:
        """The first part of the lab's check ids: ``lab1`` of ``lab1.counting``."""
        return f"lab{self.number}"

    def check(self, check_id: str) -> Check:
        for check in self.checks:
            if check.id == check_id:
                return check
        known = ", ".join(check.id for check in self.checks)
        raise LabNotFound(f"{self.id} has no check {check_id!r}; it has {known}")

    def read_json(self, name: str) -> Any:
        """The JSON document ``name`` of the lab's data folder."""
        return json.loads((self.data / name).read_text(encoding="utf-8"))

    def read_permit(self, name: str) -> Any:
        """The permit ``name`` (a JSON document) that was released with the lab."""
        return json.loads((self.permits / name).read_text(encoding="utf-8"))

    @classmethod
    def find(cls, name: str, *, beside: Path | None = None) -> Lab:
        """The lab called ``name``: a full id (``lab1_fanout_replay``) or its prefix (``lab1``).

        Looks first in ``data/`` of the folder ``beside`` (the notebook's; the current one by default), where a
        release puts the files, then in the repository's ``fixtures/``. Raises LabNotFound or LabInvalid.
        """
        here = Path.cwd() if beside is None else beside
        released = here / "data" / "lab.toml"
        if released.is_file():
            lab = read_lab(released.parent, here / "permits")
            if name in (lab.id, lab.prefix):
                return lab
        known = all_labs(REPOSITORY)
        for lab in known:
            if name in (lab.id, lab.prefix, str(lab.number)):
                return lab
        raise LabNotFound(f"no lab {name!r}; there are {', '.join(lab.id for lab in known) or 'none'}")


def all_labs(root: Path) -> list[Lab]:
    """Every lab of the repository at ``root``, by number."""
    folders = sorted(path.parent for path in (root / "fixtures").glob("*/lab.toml"))
    return sorted((read_lab(folder, root / "permits") for folder in folders), key=lambda lab: lab.number)


def read_lab(data: Path, permits: Path) -> Lab:
    """Read ``data``/lab.toml; raises LabInvalid where it is not TOML, lacks a key or contradicts itself."""
    path = data / "lab.toml"
    try:
        raw = _parse(path.read_text(encoding="utf-8"))
        lab = Lab(
            id=raw["id"],
            number=raw["number"],
            title=raw["title"],
            summary=raw["summary"],
            packet=raw["packet"],
            permit_names=tuple(raw.get("permits", ())),
            rehearsal=tuple(raw.get("rehearsal", ())),
            decisions=tuple(raw.get("decisions", ())),
            programs=dict(raw.get("programs", {})),
            blocks=tuple(Block(**block) for block in raw["block"]),
            checks=tuple(_check(check) for check in raw["check"]),
            misconceptions={name: Misconception(name, **entry) for name, entry in raw.get("misconception", {}).items()},
            data=data,
            permits=permits,
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as problem:
        raise LabInvalid(f"{path}: {type(problem).__name__}: {problem}; mend the file") from problem
    _refuse_contradictions(lab, path)
    return lab


@lru_cache(maxsize=8)
def _parse(text: str) -> dict[str, Any]:
    """Kept, for a notebook's first cell reads again what its process has read; nobody changes it."""
    return tomllib.loads(text)


def _check(raw: dict[str, Any]) -> Check:
    groups = tuple(Group(**group) for group in raw["group"])
    return Check(raw["id"], raw["block"], raw["title"], raw["called"], groups)


def _refuse_contradictions(lab: Lab, path: Path) -> None:
    blocks = {block.id for block in lab.blocks}
    names = [group.id for check in lab.checks for group in check.groups]
    for check in lab.checks:
        if check.block not in blocks:
            raise LabInvalid(f"{path}: check {check.id} names block {check.block!r}, which is not there")
        if not check.id.startswith(f"{lab.prefix}."):
            raise LabInvalid(f"{path}: check {check.id!r} must start with {lab.prefix!r} and a dot")
    if len(names) != len(set(names)):
        raise LabInvalid(f"{path}: a group id stands twice")
