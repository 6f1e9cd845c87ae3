"""What the class report counts in each lab: statuses, groups, misconceptions, denials; each count leads to evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from grader.class_results import Standing
from grader.first_denial import first_denial
from grader.report_lines import Evidence, Line, level, show_line
from grader.status import STATUSES
from workshop.lab import Lab

_UNNAMED = {
    "other": ("None of the usual mistakes", "Follow one wrong case through the code with them, line by line."),
    "silent": ("No answer to any case", "See what was raised: a name may be missing, or the code stopped."),
    "untouched": ("Not filled in", "Was it the time, or the task?"),
}
"""What to call a mistake that feedback does not name, and what to do about it."""


@dataclass(frozen=True)
class Link:
    """A name that leads to a place of the page."""

    text: str
    anchor: str


@dataclass(frozen=True)
class Tally:
    """Something, what it means, and those whom it is about, each with its evidence; ``of`` is how many were judged."""

    key: str
    title: str
    text: str
    who: tuple[Link, ...]
    of: int = 0

    @property
    def have(self) -> int:
        """How many of those who were judged are not among them."""
        return self.of - len(self.who)

    @property
    def level(self) -> str:
        return level(self.have, self.of)


@dataclass(frozen=True)
class LabTables:
    """All that the report says of one lab."""

    lab: Lab
    lines: tuple[Line, ...]
    statuses: tuple[Tally, ...]
    groups: tuple[tuple[str, Tally], ...]
    mistakes: tuple[Tally, ...]
    denials: tuple[Tally, ...]

    @property
    def median(self) -> str:
        """Of what was judged."""
        points = [line.standing.points for line in self.lines if line.standing.points is not None]
        return f"{median(points):g}" if points else "–"

    @property
    def has_times(self) -> bool:
        return any(line.standing.handed_in for line in self.lines)

    @property
    def has_other_marks(self) -> bool:
        """A late penalty or a person has changed a mark since it was judged."""
        return any(line.standing.mark.points != line.standing.points for line in self.lines)


def show_lab(lab: Lab, standings: Sequence[Standing]) -> LabTables:
    """The tables of one lab, its students in the order given."""
    lines = tuple(show_line(lab, number, one) for number, one in enumerate(standings))
    return LabTables(
        lab=lab,
        lines=lines,
        statuses=tuple(_statuses(lines)),
        groups=tuple(_groups(lab, lines)),
        mistakes=tuple(_mistakes(lab, lines)),
        denials=tuple(_denials(lab, lines)),
    )


def needs_a_look(tables: Iterable[LabTables]) -> list[Tally]:
    """Whom a person should look at, by status and reason over all labs, the worst first."""
    found: dict[tuple[int, str, str], list[Link]] = {}
    for table in tables:
        for line in table.lines:
            if line.why:
                status = line.standing.mark.status
                who = Link(f"{line.label}, lab {table.lab.number}", line.anchor)
                found.setdefault((list(STATUSES).index(status), status, line.why), []).append(who)
    return [Tally(status, status, why, tuple(who)) for (_, status, why), who in sorted(found.items())]


def _statuses(lines: Sequence[Line]) -> Iterator[Tally]:
    for status, words in STATUSES.items():
        who = tuple(Link(line.label, line.anchor) for line in lines if line.standing.mark.status == status)
        if who:
            yield Tally(status, status, words.to_instructor, who)


def _groups(lab: Lab, lines: Sequence[Line]) -> Iterator[tuple[str, Tally]]:
    """Each group with those who lack it, out of those for whom it was judged; with its check's title before it."""
    for check in lab.checks:
        judged = [line for line in lines if check.id in line.standing.checks]
        for group in check.groups:
            who = tuple(
                Link(line.label, anchor)
                for line in judged
                for evidence in line.evidence
                for anchor, report in evidence.groups
                if report.id == group.id
            )
            yield check.title, Tally(group.id, group.title, "", who, len(judged))


def _mistakes(lab: Lab, lines: Sequence[Line]) -> Iterator[Tally]:
    """Misconceptions, the most frequent first, then what has no name."""
    found: dict[str, dict[str, str]] = {}
    for line in lines:
        for evidence in line.evidence:
            if evidence.groups:
                found.setdefault(_mistake(evidence), {}).setdefault(line.label, evidence.anchor)
    for name, who in sorted(found.items(), key=lambda item: (item[0] in _UNNAMED, -len(item[1]), item[0])):
        known = lab.misconceptions.get(name)
        title, point = (known.title, known.hint) if known else _UNNAMED.get(name, (name, ""))
        yield Tally(name, title, point, _links(who))


def _mistake(evidence: Evidence) -> str:
    """A misconception of lab.toml, or one of _UNNAMED: feedback has a hint wherever the code answered."""
    if evidence.is_untouched:
        return "untouched"
    return evidence.report.misconception or ("other" if evidence.report.hint else "silent")


def _denials(lab: Lab, lines: Sequence[Line]) -> Iterator[Tally]:
    """Which decision was due where a decision list first went wrong, and which came; the most frequent first."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for line in lines:
        for evidence in line.evidence:
            for anchor, group in evidence.groups:
                pair = group.wrong and first_denial(group.wrong.expected, group.wrong.got, lab.decisions)
                if pair:
                    found.setdefault(pair, {}).setdefault(line.label, anchor)
    for (due, came), who in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        yield Tally("", due, came, _links(who))


def _links(who: dict[str, str]) -> tuple[Link, ...]:
    return tuple(Link(label, anchor) for label, anchor in who.items())
