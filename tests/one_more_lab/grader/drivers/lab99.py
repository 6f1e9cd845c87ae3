"""Lab 99, the first denial: asks one function."""

from __future__ import annotations

from typing import Any

from grader.drivers import Json, World, driver


@driver("lab99.first")
def first(world: World, case: dict[str, Any], first_denial: Any) -> Json:
    """What is told of each of the case's ``lists``; a list gives the reason of each decision."""
    return [first_denial([_row(reason) for reason in reasons]) for reasons in case["lists"]]


def _row(reason: str) -> dict[str, Any]:
    return {"tool": "search", "ok": reason == "admit", "reason": reason}
