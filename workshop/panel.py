"""What the kit displays: a panel of HTML with a plain-text twin, and the styles and scripts it carries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Panel:
    """Something to display: HTML that needs no kernel, and the same content as plain text."""

    html: str
    text: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}


def chart(body: str, text: str) -> Panel:
    """A chart around ``body``; whatever a student's text holds, it can be stored."""
    markup = f'<style>{stylesheet("charts.css")}</style>\n<div class="ao ao-chart">{body}</div>'
    return Panel(_printable(markup), _printable(text))


def _printable(text: str) -> str:
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", whole)


@cache
def script(name: str) -> str:
    """The script ``static/NAME`` behind the functions that all of them share (dom.js), as they are written."""
    return "".join((STATIC / each).read_text(encoding="utf-8") for each in ("dom.js", name))


def inline(name: str) -> str:
    """An HTML element that runs ``script(name)``; what it names stays its own, however often the page has it."""
    return f"<script>\n(() => {{\n{script(name)}}})();\n</script>"


@cache
def stylesheet(*names: str) -> str:
    """The shared tokens and the named stylesheets as one line: it is stored with every output."""
    css = "".join((STATIC / name).read_text(encoding="utf-8") for name in ("tokens.css", *names))
    return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)).strip()
