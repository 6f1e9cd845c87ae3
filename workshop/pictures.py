"""The storm as inline SVG: the tree of calls with the cut, and the queue's depth over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypedDict

from workshop.panel import Panel, chart

ROW, INDENT, LETTER = 30, 34, 7.4  # pixels: a row of the tree, a level, a letter of its labels
SHOWN_CHILDREN, SHOWN_ROWS = 8, 48  # under one call, in the whole tree; the rest is told as a number

Point = tuple[float, float]


class CallNode(TypedDict):
    """A call and the calls it led to; ``denied`` is the reason, or None where it ran."""

    label: str
    denied: str | None
    children: list[CallNode]


@dataclass(frozen=True)
class _Row:
    label: str
    state: str  # ran, denied, never, or rest (told as a number)
    reason: str
    level: int
    parent: int | None


def call_tree(root: CallNode, *, title: str = "The calls of one agent") -> Panel:
    """The tree of calls below ``root`` (the agent), cut where the budget denied one; what then never ran."""
    rows: list[_Row] = []
    _add(rows, root, 0, None, under_denied=False)
    states = [state for child in root["children"] for state in _states(child, _state(root, False) != "ran")]
    ran, denied, never = (states.count(state) for state in ("ran", "denied", "never"))
    caption = f"{_calls(ran)} ran, {denied} {'was' if denied == 1 else 'were'} denied, {never} never happened."
    width = max(24 + row.level * INDENT + (len(row.label) + len(row.reason)) * LETTER + 60 for row in rows)
    body = "\n".join(_row_svg(rows, number) for number in range(len(rows)))
    return _figure(title, caption, round(max(width, 420)), len(rows) * ROW + 4, body, _tree_text(rows))


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number} calls"


def _state(call: CallNode, under_denied: bool) -> str:
    return "never" if under_denied else "denied" if call["denied"] is not None else "ran"


def _states(call: CallNode, under_denied: bool) -> Iterator[str]:
    """The state of ``call`` and of every call below it."""
    state = _state(call, under_denied)
    yield state
    for child in call["children"]:
        yield from _states(child, state != "ran")


def _add(rows: list[_Row], call: CallNode, level: int, parent: int | None, *, under_denied: bool) -> None:
    state = _state(call, under_denied)
    rows.append(_Row(call["label"], state, (call["denied"] or "") if state == "denied" else "", level, parent))
    here, is_cut = len(rows) - 1, state != "ran"
    shown = SHOWN_CHILDREN if len(rows) < SHOWN_ROWS else 0
    for child in call["children"][:shown]:
        _add(rows, child, level + 1, here, under_denied=is_cut)
    rest = [state for child in call["children"][shown:] for state in _states(child, is_cut)]
    if rest:
        stopped = len(rest) - rest.count("ran")
        label = f"and {_calls(len(rest))} more, {stopped} of them stopped by the budget"
        rows.append(_Row(label, "rest", "", level + 1, here))


def _row_svg(rows: list[_Row], number: int) -> str:
    row = rows[number]
    x, middle = 2 + row.level * INDENT, number * ROW + ROW / 2
    parts = []
    if row.parent is not None:
        trunk, top = x - INDENT + 14, row.parent * ROW + ROW - 3
        dashes = ' class="ao-never"' if row.state in ("never", "rest") else ""
        parts.append(f'<path{dashes} d="M{trunk} {top}V{middle:g}H{x}"/>')
        if row.state == "denied":
            cut = x - 10
            parts.append(f'<path class="ao-cut" d="M{cut - 4} {middle + 7:g}l6 -14m3 0l-6 14"/>')
    if row.state == "rest":
        return "".join(parts) + f'<text class="ao-soft" x="{x + 6}" y="{middle + 4:g}">{escape(row.label)}</text>'
    width = len(row.label) * LETTER + 22
    sign = {"ran": "", "denied": f"✗ {row.reason}", "never": "never happened"}[row.state]
    tone = {"ran": "", "denied": "ao-no", "never": "ao-soft"}[row.state]
    parts.append(
        f'<rect class="ao-{row.state}" x="{x}" y="{middle - 11:g}" width="{width:g}" height="22" rx="5"/>'
        f'<text x="{x + 11}" y="{middle + 4.5:g}">{escape(row.label)}</text>'
    )
    if sign:
        parts.append(f'<text class="{tone}" x="{x + width + 8:g}" y="{middle + 4.5:g}">{escape(sign)}</text>')
    return "".join(parts)


def _tree_text(rows: list[_Row]) -> str:
    signs = {"ran": "", "denied": " ✗ denied: ", "never": " (never happened)", "rest": ""}
    return "\n".join(f"{'  ' * row.level}{row.label}{signs[row.state]}{row.reason}" for row in rows)


def queue_depth(
    without: Sequence[Point], with_budget: Sequence[Point], *, title: str = "Requests waiting at the endpoint"
) -> Panel:
    """Two lines of (time in seconds, requests waiting): without the budget and with it."""
    left, top, wide, high = 46, 14, 500, 190
    end = max((time for time, _ in (*without, *with_budget)), default=0) or 1
    most = max((depth for _, depth in (*without, *with_budget)), default=0)
    x_step, y_step = _step(end), _step(most)
    x_end, y_end = _ceiling(end, x_step), _ceiling(most, y_step)

    def x(time: float) -> float:
        return left + wide * time / x_end

    def y(depth: float) -> float:
        return top + high * (1 - depth / y_end)

    parts = []
    for depth in _ticks(y_end, y_step):
        parts.append(f'<line class="ao-grid" x1="{left}" x2="{left + wide}" y1="{y(depth):g}" y2="{y(depth):g}"/>')
        parts.append(f'<text class="ao-soft ao-end" x="{left - 8}" y="{y(depth) + 4:g}">{depth:g}</text>')
    for time in _ticks(x_end, x_step):
        parts.append(f'<text class="ao-soft ao-mid" x="{x(time):g}" y="{top + high + 20}">{time:g}</text>')
    parts.append(f'<text class="ao-soft ao-mid" x="{left + wide / 2:g}" y="{top + high + 40}">seconds</text>')
    for points, tone in ((without, "storm"), (with_budget, "calm")):
        if points:
            steps = "".join(f"H{x(time):g}V{y(depth):g}" for time, depth in points[1:])
            start = f"M{x(points[0][0]):g} {y(points[0][1]):g}"
            parts.append(f'<path class="ao-{tone}" d="{start}{steps}"/>')
    key = left + wide + 16
    for row, (tone, words, colour) in enumerate(
        (("storm", "without the budget", "no"), ("calm", "with the budget", "yes"))
    ):
        level = top + 10 + row * 24
        parts.append(f'<path class="ao-{tone}" d="M{key} {level}h30"/>')
        parts.append(f'<text class="ao-{colour}" x="{key + 38}" y="{level + 4}">{words}</text>')
    caption = f"{_peak('Without the budget', without)} {_peak('With it', with_budget)}"
    return _figure(title, caption, key + 170, top + high + 48, "".join(parts), _series_text(without, with_budget))


def _peak(name: str, points: Sequence[Point]) -> str:
    if not points:
        return f"{name}: nothing was measured."
    time, depth = max(points, key=lambda point: (point[1], -point[0]))
    return f"{name}, at most {depth:g} waited, first at {time:g} s."


def _step(end: float) -> float:
    for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        if end / step <= 5:
            return step
    return end / 5


def _ceiling(end: float, step: float) -> float:
    return step * max(1, -(-end // step))


def _ticks(end: float, step: float) -> list[float]:
    return [step * number for number in range(round(end / step) + 1)]


def _series_text(without: Sequence[Point], with_budget: Sequence[Point]) -> str:
    """Ten evenly spaced readings of both lines: a picture's numbers for who cannot see it."""
    end = max((time for time, _ in (*without, *with_budget)), default=0)
    lines = ["  seconds  without  with"]
    for number in range(11):
        time = end * number / 10
        lines.append(f"  {time:>7.1f}  {_depth_at(without, time):>7g}  {_depth_at(with_budget, time):>4g}")
    return "\n".join(lines)


def _depth_at(points: Sequence[Point], time: float) -> float:
    return next((depth for moment, depth in reversed(points) if moment <= time), 0)


def _figure(title: str, caption: str, width: int, height: int, body: str, text: str) -> Panel:
    name = escape(f"{title}. {caption}")
    figure = (
        f'<figure><div class="ao-title">{escape(title)}</div>'
        f'<svg role="img" aria-label="{name}" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}">'
        f"<title>{name}</title>{body}</svg><figcaption>{escape(caption)}</figcaption></figure>"
    )
    return chart(figure, f"{title}. {caption}\n{text}")
