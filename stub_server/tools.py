"""The tools behind `POST /tools/{name}`: reads answer from a table, refund makes an effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stub_server.fixtures import FixtureInvalid, read_fixture
from stub_server.room import Room
from stub_server.strict_json import BadJson, parse
from stub_server.wire import BODY_BYTES, Refused, answer, entry_of, read_body

REFUND_TOOL = "refund"
TYPES: Mapping[str, type] = {"string": str, "integer": int}


@dataclass(frozen=True)
class Tool:
    """One tool as `tools.json` describes it.

    Attributes:
        required, optional: the type of each argument, `string` or `integer`. No others are taken.
        answers: for a read, what it answers to which arguments.
    """

    name: str
    effect: str
    required: Mapping[str, str]
    optional: Mapping[str, str]
    answers: tuple[tuple[Mapping[str, Any], Any], ...]

    def accepts(self, arguments: Any) -> bool:
        if not isinstance(arguments, dict) or not set(self.required) <= set(arguments):
            return False
        allowed = {**self.required, **self.optional}
        # type() and not isinstance(): True is no integer here.
        return all(name in allowed and type(value) is TYPES[allowed[name]] for name, value in arguments.items())


@cache
def tools() -> Mapping[str, Tool]:
    """The tools shipped, by name."""
    return {name: _tool(name, written) for name, written in read_fixture("tools.json").items()}


def _tool(name: str, written: Mapping[str, Any]) -> Tool:
    try:
        answers = tuple((entry["when"], entry["data"]) for entry in written.get("answers", []))
        return Tool(name, written["effect"], written["required"], written.get("optional", {}), answers)
    except KeyError as missing:
        raise FixtureInvalid(f"tools.json: {name} lacks {missing}") from missing


async def call_tool(request: Request) -> Response:
    """Call a tool with `{"arguments": {…}}`. Errors carry the words of the retry table (spec 2, Lab 3)."""
    room: Room = request.app.state.room
    try:
        payload = parse(await read_body(request), max_bytes=BODY_BYTES)
    except BadJson as bad:
        raise Refused(400, "bad_json", str(bad)) from None
    tool = tools().get(request.path_params["name"])
    if tool is None:
        return _failed(404, "not_found", "there is no such tool")
    arguments = payload.get("arguments") if isinstance(payload, dict) else None
    entry_of(request).note_payload(payload)
    if not tool.accepts(arguments) or not isinstance(arguments, dict):
        return _failed(400, "invalid_args", "the arguments are not those of this tool")
    if tool.effect == "read":
        for when, data in tool.answers:
            if when == arguments:
                return answer({"ok": True, "data": data})
        return _failed(404, "not_found", "nothing is known of that")
    return _refund(room, arguments)


def _refund(room: Room, arguments: dict[str, Any]) -> Response:
    """Refund once per key; without a key, once per call, however often the same call comes."""
    key = arguments.get("idempotency_key")
    wanted = {name: value for name, value in arguments.items() if name != "idempotency_key"}
    if not 1 <= wanted["amount_cents"] <= 1_000_000 or (key is not None and not 8 <= len(key) <= 64):
        return _failed(400, "invalid_args", "amount_cents is 1 to 1000000, a key has 8 to 64 characters")
    with room.refunding:
        before = room.ledger.find(REFUND_TOOL, key) if key is not None else None
        if before is not None and dict(before.arguments) != wanted:
            return _failed(409, "invalid_args", "this key was used for another refund", {"x-should-retry": "false"})
        refund_id = before.order_id if before else room.ledger.record(REFUND_TOOL, key, wanted)
    data = {"refund_id": refund_id, "replayed": before is not None}
    return answer({"ok": True, "data": data, "side_effect_counter": room.ledger.count})


async def refund_state(request: Request) -> Response:
    """Poll for one refund by its key."""
    room: Room = request.app.state.room
    return answer(room.look_up(REFUND_TOOL, request.path_params["key"]))


def _failed(status: int, error: str, message: str, headers: dict[str, str] | None = None) -> Response:
    return answer({"ok": False, "error": error, "message": message}, status, headers)
