"""Questions with one answer each: a form that writes the line to put into the notebook's cell.

A widget's values are no part of a notebook file, so what is graded is the dict in the cell (spec 5, what was found).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import traitlets

from workshop.form import Form
from workshop.panel import Panel, script, stylesheet


class Quiz(Form):
    """``questions`` are ``{"id", "text", "options": {letter: text}}``; ``answers`` is the dict that the form fills.

    The form knows no right answer.
    """

    _esm = script("quiz.js")
    _css = stylesheet("quiz.css")

    questions: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)

    def __init__(self, questions: Sequence[dict[str, Any]]) -> None:
        super().__init__(questions=list(questions), answers={question["id"]: "" for question in questions})

    def still(self) -> Panel:
        return Panel(self._html(), self._text())

    def _html(self) -> str:
        """The questions without scripts, to be answered straight in the cell."""
        items = []
        for question in self.questions:
            options = "".join(f"<li>{letter}: {escape(text)}</li>" for letter, text in question["options"].items())
            items.append(f"<li><code>{question['id']}</code>: {escape(question['text'])}<ul>{options}</ul></li>")
        return f"<ol>{''.join(items)}</ol>"

    def _text(self) -> str:
        lines = []
        for number, question in enumerate(self.questions, start=1):
            lines.append(f"{number}. {question['id']}: {question['text']}")
            lines += [f"     {letter}: {text}" for letter, text in question["options"].items()]
        return "\n".join(lines)
