"""The timing board: a table of a lab's blocks that a script turns into a running clock in JupyterLab.

It is HTML without a kernel connection, so that it ticks while a cell runs and survives a kernel restart and
a reload (spec 5, what was found). Elsewhere (a static page, feedback) the table stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape

from workshop.lab import Block, Lab
from workshop.panel import Panel, inline, stylesheet


def board(lab: Lab) -> Panel:
    """The timing board of ``lab``; its state lives in the browser, by lab and notebook."""
    name = f"Lab {lab.number}: {lab.title}"
    minutes = sum(block.minutes for block in lab.blocks)
    config = {
        "lab": lab.id,
        "name": name,
        "blocks": [{"title": block.title, "minutes": block.minutes} for block in lab.blocks],
        "packet": lab.packet,
    }
    rows = "".join(
        f'\n<tr><th scope="row">{escape(block.title)}</th><td>{block.minutes}</td><td>{start} to {end}</td></tr>'
        for block, start, end in _spans(lab.blocks)
    )
    html = (
        f"<style>{stylesheet('board.css')}</style>\n"
        f'<div class="ao ao-board" data-ao-board="{escape(json.dumps(config))}">'
        f"<table><caption>{escape(name)}, {minutes} minutes</caption><thead><tr>"
        '<th scope="col">Block</th><th scope="col">Minutes</th><th scope="col">From and to</th>'
        f"</tr></thead><tbody>{rows}</tbody></table>"
        f"<p>If time is short: {escape(lab.packet)}</p></div>\n{inline('board.js')}"
    )
    text = [f"{name}, {minutes} minutes"]
    text += [f"  {start:>3} to {end:>3}  {block.title}" for block, start, end in _spans(lab.blocks)]
    return Panel(html, "\n".join([*text, f"If time is short: {lab.packet}"]))


def _spans(blocks: tuple[Block, ...]) -> Iterator[tuple[Block, int, int]]:
    """Each block with the minutes of the lab at which it starts and ends."""
    start = 0
    for block in blocks:
        yield block, start, start + block.minutes
        start += block.minutes
