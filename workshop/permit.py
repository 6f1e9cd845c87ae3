"""Lab 2's props for permits: strict JSON, a URL splitter that does not raise, and lab 1's counting gates."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from stub_server.strict_json import BadJson, parse
from workshop.budget import BudgetDenied, ToolBudget
from workshop.lab import Lab

COUNTING_GATES = "counting_gates.py"
MAX_JSON_BYTES = 64 * 1024

CountDenial = Callable[[ToolBudget, str, int], str | None]
Charge = Callable[[ToolBudget, str, int], None]


def parse_json(text: Any) -> Any:
    """The value that ``text`` spells; raises ValueError for anything with no meaning or with two.

    Refused are a value that is no string, text that is not JSON, a key named twice, NaN and Infinity.
    """
    if not isinstance(text, str):
        raise BadJson("not_json", f"JSON text is a string, not {type(text).__name__}")
    return parse(text.encode("utf-8", "surrogatepass"), max_bytes=MAX_JSON_BYTES)


@dataclass(frozen=True)
class Url:
    """The parts of a URL that decide where a request goes.

    ``scheme`` is in lower case. ``authority`` is all between ``//`` and the path, ``host`` is that without user
    information and port, both as they were written.
    """

    scheme: str
    authority: str
    host: str


def split_url(url: Any) -> Url | None:
    """Split a URL; None where it is no string, does not parse, has an invalid port, or brackets beside the host.

    It splits as Python's library does, which drops tabs and line ends without a word. What may be in a URL is for
    the caller to say.
    """
    if not isinstance(url, str):
        return None
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what raises
    except ValueError:
        return None
    place = parts.netloc.rpartition("@")[2]
    if place.startswith("["):
        host, _, port = place[1:].partition("]")
        is_whole = port[:1] in ("", ":")
    else:
        host, _, port = place.partition(":")
        is_whole = True
    if not is_whole or {"[", "]"} & set(host + port):  # Python's library takes what brackets hold, wherever they stand
        return None
    return Url(parts.scheme, parts.netloc, host)


def counting_gates(lab: Lab) -> tuple[CountDenial, Charge]:
    """``count_denial`` and ``charge`` from the gates in the lab's data.

    ``count_denial(budget, tool, depth)`` is the reason for which a counting gate denies the call, or None; it changes
    nothing. ``charge(budget, tool, depth)`` counts an admitted call and appends its row; it raises BudgetDenied for
    a call that the counting gates would deny.
    """
    gates = runpy.run_path(str(lab.data / COUNTING_GATES))["Budget"]

    def ask_a_copy(budget: ToolBudget, tool: str, depth: int) -> ToolBudget:
        copy: ToolBudget = gates(budget.permit, budget.total_calls, dict(budget.per_tool), budget.depth)
        copy.admit(tool, {}, depth=depth)  # type: ignore[attr-defined] # the gates have it, ToolBudget has not
        return copy

    def count_denial(budget: ToolBudget, tool: str, depth: int) -> str | None:
        try:
            ask_a_copy(budget, tool, depth)
        except BudgetDenied as denied:
            return str(denied)
        return None

    def charge(budget: ToolBudget, tool: str, depth: int) -> None:
        charged = ask_a_copy(budget, tool, depth)
        budget.total_calls, budget.depth = charged.total_calls, charged.depth
        budget.per_tool.update(charged.per_tool)
        budget.decisions.extend(charged.decisions)

    return count_denial, charge
