"""Questions with one answer each: a form that writes the line to put into the notebook's cell.

A widget's values are no part of a notebook file, so what is graded is the dict in the cell (spec 5, what was found).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import anywidget
import traitlets

from workshop.panel import script, stylesheet


class Quiz(anywidget.AnyWidget):
    """``questions`` are ``{"id", "text", "options": {letter: text}}``; ``answers`` is the dict that the form fills.

    The form knows no right answer.
    """

    _esm = script("dom.js") + script("quiz.js")
    _css = stylesheet("quiz.css")

    questions: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)

    def __init__(self, questions: Sequence[dict[str, Any]]) -> None:
        super().__init__(questions=list(questions), answers={question["id"]: "" for question in questions})

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), "text/plain": self._text(), "text/html": self._html()}, metadata

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
