"""The retry table trainer: choose a cell, choose an action, and hear whether it holds and why.

It knows no more than the public cases say: its answers are read from them, and a test holds that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import traitlets

from workshop.form import Form
from workshop.lab import Lab
from workshop.panel import Panel, script, stylesheet

CHECK = "lab3.decide"

Table = dict[str, dict[str, list[str]]]
"""Error to column to the actions that hold there."""


class RetryTrainer(Form):
    """The 6 × 3 table of ``lab`` to try out. Nothing of it is kept or graded."""

    _esm = script("trainer.js")
    _css = stylesheet("trainer.css")

    rows = traitlets.Dict().tag(sync=True)  # error: {"ask": …, column: why an action holds there}
    columns = traitlets.Dict().tag(sync=True)  # id: what it is called
    actions = traitlets.Dict().tag(sync=True)  # action: what it does, in words
    against = traitlets.Dict().tag(sync=True)  # column: {action: what speaks against it there}
    holds = traitlets.Dict().tag(sync=True)

    def __init__(self, lab: Lab) -> None:
        words = lab.read_json("trainer.json")
        super().__init__(
            rows=words["rows"],
            columns=words["columns"],
            actions=words["actions"],
            against=words["against"],
            holds=public_answers(lab.read_json("cases.json")[CHECK], words["rows"]),
        )

    def still(self) -> Panel:
        return Panel(self._html(), self._text())

    def _html(self) -> str:
        """The table without scripts: an empty cell for each answer, to be filled in by hand."""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.columns.values())
        empty = "<td></td>" * len(self.columns)
        body = "".join(f'<tr><th scope="row"><code>{escape(error)}</code></th>{empty}</tr>' for error in self.rows)
        words = "".join(f"<li><code>{escape(name)}</code>: {escape(what)}</li>" for name, what in self.actions.items())
        return (
            '<table><caption>The retry table</caption><thead><tr><th scope="col">Error</th>'
            f"{head}</tr></thead><tbody>{body}</tbody></table><p>What may stand in a cell:</p><ul>{words}</ul>"
        )

    def _text(self) -> str:
        lines = ["The retry table: " + " | ".join(["error", *self.columns.values()])]
        lines += [f"  {error:<15}" + " | ?" * len(self.columns) for error in self.rows]
        return "\n".join([*lines, "What may stand in a cell: " + ", ".join(self.actions)])


def public_answers(cases: Iterable[Mapping[str, Any]], errors: Iterable[str]) -> Table:
    """What holds in each cell: what all public cases accept there that ask about it and tell nothing besides."""
    table: Table = {error: {} for error in errors}
    for case in cases:
        accepted = case.get("accepted", [case.get("expected")])
        for place, asked in enumerate(case["input"]["asks"]):
            if asked["error"] in table and "nothing_applied" not in asked:
                here, column = {answer[place] for answer in accepted}, _column(asked)
                table[asked["error"]][column] = sorted(here.intersection(table[asked["error"]].get(column, here)))
    return table


def _column(asked: Mapping[str, Any]) -> str:
    if asked["effect"] == "read":
        return "read"
    return "with_key" if asked["has_key"] else "without_key"
