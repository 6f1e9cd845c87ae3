"""The stamp card: a form for the four drills that keeps itself in a file and compares itself with the transcripts.

It is an anywidget, because the stock controls have ambiguous names and cut labels. What counts is in
``card.json``, not in the widget: values of a widget are not part of a notebook file (spec 5, what was found).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import traitlets

from workshop.card_file import (
    DRILLS,
    FIELDS,
    CardUnreadableError,
    Marks,
    Miss,
    Values,
    compare_card,
    missed,
    read_card,
    read_misses,
    write_card,
)
from workshop.form import Form
from workshop.panel import Panel, script, stylesheet

__all__ = ["CardUnreadableError", "StampCard", "compare_card", "read_card", "read_misses"]

DECISIONS = ("APPLY", "REPLAY_OK", "REJECT")


class StampCard(Form):
    """Five fields for each of the drills A to D, filled by the student.

    ``read_transcripts`` returns a row for each drill that was run, by its letter, with the five fields ("" where a
    value is missing). ``path`` is the card's file beside the notebook; a card begun earlier is read back from it.
    """

    _esm = script("card.js")
    _css = stylesheet("card.css")

    drills = traitlets.List([{"letter": letter, "title": title} for letter, title in DRILLS.items()]).tag(sync=True)
    fields = traitlets.List(list(FIELDS)).tag(sync=True)
    decisions = traitlets.List(list(DECISIONS)).tag(sync=True)
    values = traitlets.Dict().tag(sync=True)
    misses: traitlets.List[Miss] = traitlets.List().tag(sync=True)
    # Counts the presses of "compare". A trait and no message: it arrives in the same save as the last field.
    asked = traitlets.Int(0).tag(sync=True)
    # The answer: which press it answers, the marks, and what went wrong ("" where nothing did).
    result = traitlets.Dict({"asked": 0, "marks": {}, "problem": ""}).tag(sync=True)

    def __init__(
        self, read_transcripts: Callable[[], Mapping[str, Mapping[str, Any]]], path: str | Path = "card.json"
    ) -> None:
        self._read_transcripts = read_transcripts
        self._path = Path(path).absolute()
        self._turn = threading.RLock()  # callbacks may come on another thread than the cell's
        super().__init__(values=read_card(path), misses=read_misses(path))
        self.observe(self._keep, "values")
        self.observe(self._compare, "asked")

    def _keep(self, _: object) -> None:
        with self._turn:
            self._write()

    def _compare(self, _: object) -> None:
        with self._turn:
            try:
                rows = self._read_transcripts()
            except Exception as fault:  # whatever the caller's reader raises, the card has to say it
                self._answer({}, f"The transcripts could not be read: {type(fault).__name__}. Run the drills first.")
                return
            marks = compare_card(self.values, rows)
            self.misses = [*self.misses, *(new for new in missed(self.values, marks) if new not in self.misses)]
            if self._write():
                self._answer(marks, "")

    def _write(self) -> bool:
        try:
            write_card(self._path, self.values, self.misses)
        except OSError as fault:
            self._answer({}, f"The card could not be written to {self._path.name}: {fault.strerror}.")
            return False
        return True

    def _answer(self, marks: Marks, problem: str) -> None:
        self.result = {"asked": self.asked, "marks": marks, "problem": problem}

    def still(self) -> Panel:
        with self._turn:
            return Panel(_html(self.values), _text(self.values))


def _html(values: Values) -> str:
    """The card without scripts: a table, empty cells where nothing is written yet."""
    head = "".join(f'<th scope="col">{letter}: {escape(title)}</th>' for letter, title in DRILLS.items())
    rows = "".join(
        f'<tr><th scope="row">{field}</th>'
        + "".join(f"<td>{escape(values[drill][field])}</td>" for drill in DRILLS)
        + "</tr>"
        for field in FIELDS
    )
    return (
        '<table><caption>Stamp card</caption><thead><tr><th scope="col">Field</th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _text(values: Values) -> str:
    lines = ["Stamp card"]
    for drill, title in DRILLS.items():
        lines.append(f"  {drill}: {title}")
        lines += [f"      {field:<20} {values[drill][field]}".rstrip() for field in FIELDS]
    return "\n".join(lines)
