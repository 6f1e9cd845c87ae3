"""The evidence log: a table of evidence lines in which a denied gate stands out, sortable in JupyterLab (spec 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from workshop.panel import Panel, chart, inline

COLUMNS = {
    "step": "step",
    "max_steps": "max steps",
    "wall_ms_used": "wall ms used",
    "max_wall_ms": "max wall ms",
    "tool": "tool",
    "timeout_ms": "timeout ms",
    "bytes": "bytes",
    "allowlist_version": "allowlist",
    "schema_id": "schema",
    "gate": "gate",
}
_NUMBERS = {"step", "max_steps", "wall_ms_used", "max_wall_ms", "timeout_ms", "bytes"}


def evidence_log(lines: Sequence[Mapping[str, Any]], *, leave_out: Sequence[str] = ()) -> Panel:
    """One row a line, in the order they were written; columns named in ``leave_out`` are not shown."""
    columns = [name for name in COLUMNS if name not in leave_out]
    denied = sum(line.get("gate") != "ok" for line in lines)
    runs = ", ".join(dict.fromkeys(str(line.get("run_id")) for line in lines)) or "no run"
    title = f"Evidence of {runs}: {len(lines)} {'line' if len(lines) == 1 else 'lines'}, {denied} stopped by a gate"
    head = "".join(
        f'<th scope="col" class="{"ao-count" if name in _NUMBERS else ""}">{COLUMNS[name]}</th>' for name in columns
    )
    table = (
        f"<table data-ao-evidence><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(_row_html(line, columns) for line in lines)}</tbody></table>"
    )
    # On a narrow screen the table moves inside its frame, by keyboard too; JupyterLab's one-key shortcuts stay away.
    frame = (
        f'<div role="region" tabindex="0" aria-label="{escape(title)}" data-lm-suppress-shortcuts'
        f' style="overflow-x:auto">{table}</div>'
    )
    return chart(f"{frame}{inline('evidence.js')}", "\n".join([title, *_rows_text(lines, columns)]))


def _row_html(line: Mapping[str, Any], columns: Sequence[str]) -> str:
    cells = "".join(_cell_html(name, line) for name in columns)
    return f'<tr class="{"" if line.get("gate") == "ok" else "ao-fault"}">{cells}</tr>'


def _cell_html(name: str, line: Mapping[str, Any]) -> str:
    text = escape(_shown(line.get(name)))
    if name == "gate":
        ok = line.get("gate") == "ok"
        return f'<td class="ao-{"yes" if ok else "no"}">{"✓" if ok else "✗"} {text}</td>'
    return f'<td class="{"ao-count" if name in _NUMBERS else ""}">{text}</td>'


def _rows_text(lines: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[str]:
    rows = [[COLUMNS[name] for name in columns]]
    rows += [[_sign(name, line) + _shown(line.get(name)) for name in columns] for line in lines]
    widths = [max(len(row[place]) for row in rows) for place in range(len(columns))]
    return [
        "  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _sign(name: str, line: Mapping[str, Any]) -> str:
    return "" if name != "gate" else "✓ " if line.get("gate") == "ok" else "✗ "


def _shown(value: object) -> str:
    return "null" if value is None else str(value)
