"""Tables and pictures a notebook shows: case table, decision list, call tree, queue depth."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shown:
    """Something to display: HTML, and the same content as plain text."""

    html: str
    text: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}


@dataclass(frozen=True)
class CaseRow:
    """One case of a check: what was tried, and both answers as text (`as_text` turns JSON into it)."""

    what: str
    expected: str
    got: str
    ok: bool


def as_text(value: object) -> str:
    """A JSON value on one line, keys sorted, so that two values can be compared by eye."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def case_table(
    rows: Sequence[CaseRow],
    *,
    title: str,
    passed: int,
    total: int,
    points: tuple[float, float],
    hint: str = "",
) -> Shown:
    """The result of a check: a bar, a header, one row a case, the hint. `points` is (earned, of)."""
    head = f"{title}: {passed} of {total} cases · {points[0]:g} of {points[1]:g} points"
    lines = [f"{'✓' if r.ok else '✗'} {r.what}: expected {r.expected}, got {r.got}" for r in rows]
    text = "\n".join([head, *lines, *([hint] if hint else [])])
    return Shown(f"<pre>{html.escape(text)}</pre>", text)


def decision_list(decisions: Sequence[Mapping[str, Any]], budget: object | None = None) -> Shown:
    """Rows admitted and denied, the first denial marked, the budget's counters beside them."""
    text = "\n".join(f"{i} {d['tool']} {d['reason']}" for i, d in enumerate(decisions, 1))
    return Shown(f"<pre>{html.escape(text)}</pre>", text)
