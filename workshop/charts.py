"""Tables and pictures a lab shows: case table, decision list, call tree, queue depth (spec 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

from workshop.difference import Cut, as_text, difference, shorten
from workshop.panel import Panel, chart
from workshop.pictures import CallNode, call_tree, queue_depth

__all__ = [
    "CallNode",
    "CaseRow",
    "Counters",
    "as_text",
    "call_tree",
    "case_table",
    "decision_list",
    "queue_depth",
]


@dataclass(frozen=True)
class CaseRow:
    """One case of a check: what was tried, and both answers as text (`as_text` turns JSON into it)."""

    what: str
    expected: str
    got: str
    ok: bool


class Counters(Protocol):
    """What `decision_list` reads of a budget."""

    permit: Mapping[str, Any]
    total_calls: int
    per_tool: Mapping[str, int]
    depth: int


def case_table(
    rows: Sequence[CaseRow],
    *,
    title: str,
    passed: int,
    total: int,
    points: tuple[float, float],
    hint: str = "",
) -> Panel:
    """The result of a check: score, bar, one row a case, hint. ``points`` is (earned so far, of)."""
    score = f"{passed} of {total} {'case' if total == 1 else 'cases'} · {points[0]:g} of {points[1]:g} points"
    done = passed == total
    body = (
        f'<div class="ao-head"><span class="ao-title">{escape(title)}</span>'
        f'<span class="ao-score ao-{"yes" if done else "no"}">{"✓" if done else "✗"} {score}</span></div>'
        + _bar(passed, total)
        + "<table><thead><tr>"
        + "".join(f'<th scope="col">{name}</th>' for name in ("Result", "Case", "Expected", "Got"))
        + f"</tr></thead><tbody>{''.join(map(_case_html, rows))}</tbody></table>"
        + (f'<p class="ao-hint"><strong>Hint.</strong> {escape(hint)}</p>' if hint else "")
    )
    lines = [f"{'✓' if done else '✗'} {title}: {score}", *map(_case_text, rows)]
    return chart(body, "\n".join([*lines, f"Hint. {hint}"] if hint else lines))


def _bar(passed: int, total: int) -> str:
    cells = "<span></span>" * passed + '<span class="ao-no"></span>' * (total - passed)
    return f'<div class="ao-bar" role="img" aria-label="{passed} of {total} cases right">{cells}</div>'


def _case_html(row: CaseRow) -> str:
    if row.ok:
        same = row.got == row.expected
        got = "the same" if same else f"<code>{escape(shorten(row.got))}</code>"
        return (
            f'\n<tr><td class="ao-sign ao-yes">✓ right</td><td>{escape(row.what)}</td>'
            f'<td class="ao-quiet"><code>{escape(shorten(row.expected))}</code></td>'
            f'<td class="ao-quiet">{got}</td></tr>'
        )
    found = difference(row.expected, row.got)
    note = f'<span class="ao-place">first difference: {escape(found.place)}</span>' if found.place else ""
    return (
        f'\n<tr class="ao-fault"><td class="ao-sign ao-no">✗ wrong</td><td>{escape(row.what)}</td>'
        f"<td>{_cut_html(found.expected, 'ao-right')}</td>"
        f"<td>{_cut_html(found.got, 'ao-left')}{note}</td></tr>"
    )


def _cut_html(shown: Cut, side: str) -> str:
    marked = f'<mark class="{side}">{escape(shown.marked)}</mark>' if shown.marked else ""
    return f"<code>{escape(shown.before)}{marked}{escape(shown.after)}</code>"


def _case_text(row: CaseRow) -> str:
    if row.ok:
        return f"  ✓ {row.what}"
    found = difference(row.expected, row.got)
    lines = [
        f"  ✗ {row.what}" + (f" (first difference: {found.place})" if found.place else ""),
        f"      expected {_cut_text(found.expected)}",
        f"      got      {_cut_text(found.got)}",
    ]
    return "\n".join(lines)


def _cut_text(shown: Cut) -> str:
    return f"{shown.before}»{shown.marked}«{shown.after}" if shown.marked else shown.before


def decision_list(decisions: Sequence[Mapping[str, Any]], budget: Counters | None = None) -> Panel:
    """Rows admitted and denied, the first denial marked, the budget's counters beside them."""
    first = next((number for number, row in enumerate(decisions, 1) if row.get("ok") is not True), None)
    admitted = sum(row.get("ok") is True for row in decisions)
    title = f"Decisions: {admitted} admitted, {len(decisions) - admitted} denied"
    body = "".join(_decision_html(number, row, number == first) for number, row in enumerate(decisions, 1))
    table = (
        f"<table><caption>{title}</caption><thead><tr>"
        + "".join(f'<th scope="col">{name}</th>' for name in ("Call", "Tool", "Decision", "Reason"))
        + f"</tr></thead><tbody>{body}</tbody></table>"
    )
    text = [title]
    for number, row in enumerate(decisions, 1):
        sign = "✓ admitted" if row.get("ok") is True else "✗ denied  "
        tail = "  < first denial" if number == first else ""
        text.append(f"  {number:>2}  {sign}  {row.get('tool', '?')}: {row.get('reason', '?')}{tail}")
    if budget is None:
        return chart(table, "\n".join(text))
    counts = _counts(budget)
    beside = "".join(
        f'\n<tr><th scope="row">{escape(name)}</th><td class="ao-count">{escape(count)}</td></tr>'
        for name, count in counts
    )
    counters = (
        '<table><caption>Counters</caption><thead><tr><th scope="col" class="ao-flush">What</th>'
        f'<th scope="col" class="ao-count">Used, of</th></tr></thead><tbody>{beside}</tbody></table>'
    )
    text.extend(["Counters", *(f"  {name}: {count}" for name, count in counts)])
    return chart(f'<div class="ao-beside">{table}{counters}</div>', "\n".join(text))


def _decision_html(number: int, row: Mapping[str, Any], is_first_denial: bool) -> str:
    ok = row.get("ok") is True
    tag = ' <span class="ao-tag ao-no">first denial</span>' if is_first_denial else ""
    return (
        f'\n<tr class="{"ao-fault" if is_first_denial else ""}"><td class="ao-sign">{number}</td>'
        f"<td><code>{escape(str(row.get('tool', '?')))}</code></td>"
        f'<td class="ao-{"yes" if ok else "no"}">{"✓ admitted" if ok else "✗ denied"}</td>'
        f"<td><code>{escape(str(row.get('reason', '?')))}</code>{tag}</td></tr>"
    )


def _counts(budget: Counters) -> list[tuple[str, str]]:
    tools: Mapping[str, Mapping[str, Any]] = budget.permit.get("tools", {})
    rows = [
        ("all calls", budget.total_calls, budget.permit.get("max_total_calls", "no cap")),
        ("depth reached", budget.depth, budget.permit.get("max_depth", "no cap")),
    ]
    for tool in sorted({*tools, *budget.per_tool}):
        cap = tools[tool].get("max_calls", "no cap") if tool in tools else "not in the permit"
        rows.append((tool, budget.per_tool.get(tool, 0), cap))
    return [(name, f"{used} of {cap}" if isinstance(cap, int) else f"{used}, {cap}") for name, used, cap in rows]
