"""What a chat-completions request must look like. A bad one is 400 with the protocol's own error body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from stub_server.wire import Refused

ROLES = {"system", "developer", "user", "assistant", "tool"}
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class ChatRequest:
    """What the planner needs of a valid request.

    Attributes:
        turn: how many assistant messages it holds, which is how far its script has come.
    """

    model: str
    turn: int
    is_streamed: bool
    wants_usage: bool


def check_request(payload: Any) -> ChatRequest:
    """Read a request body that is JSON already.

    Fields not named here are left alone, as clients send many.

    Raises:
        Refused: 400, naming the field in `param`.
    """
    if not isinstance(payload, dict):
        _bad("the body is a JSON object", None)
    model = payload.get("model")
    if not isinstance(model, str):
        _bad("model is a string: the name of a script", "model")
    messages = payload.get("messages")
    if not isinstance(messages, list) or not messages:
        _bad("messages is a list with at least one message", "messages")
    for number, message in enumerate(messages):
        _check_message(message, f"messages[{number}]")
    _check_tools(payload.get("tools"))
    stream = payload.get("stream")
    if stream is not None and not isinstance(stream, bool):
        _bad("stream is true or false", "stream")
    options = payload.get("stream_options")
    if options is not None and (not isinstance(options, dict) or not stream):
        _bad("stream_options is an object, and only goes with stream", "stream_options")
    if payload.get("n") not in (None, 1) or isinstance(payload.get("n"), bool):
        _bad("n is 1: a script has one answer", "n")
    turn = sum(message["role"] == "assistant" for message in messages)
    return ChatRequest(model, turn, bool(stream), bool(options and options.get("include_usage")))


def _check_message(message: Any, where: str) -> None:
    if not isinstance(message, dict):
        _bad("a message is an object", where)
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        _bad(f"role is one of {', '.join(sorted(ROLES))}", f"{where}.role")
    calls = message.get("tool_calls")
    if calls is not None:
        if role != "assistant" or not isinstance(calls, list) or not calls:
            _bad("tool_calls is a list with at least one call, in an assistant message", f"{where}.tool_calls")
        for number, call in enumerate(calls):
            _check_call(call, f"{where}.tool_calls[{number}]")
    content = message.get("content")
    is_parts = isinstance(content, list) and all(isinstance(part, dict) for part in content)
    if not isinstance(content, str) and not is_parts and not (content is None and role == "assistant"):
        _bad("content is a string, or a list of parts", f"{where}.content")
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        _bad("a tool message names the call it answers", f"{where}.tool_call_id")


def _check_call(call: Any, where: str) -> None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(call.get("id"), str) or call.get("type") != "function":
        _bad("a call has an id, the type function, and a function", where)
    if not isinstance(function.get("name"), str) or not isinstance(function.get("arguments"), str):
        _bad("a function has a name and arguments, both strings", f"{where}.function")


def _check_tools(tools: Any) -> None:
    if tools is None:
        return
    if not isinstance(tools, list) or not tools:
        _bad("tools is a list with at least one tool", "tools")
    for number, tool in enumerate(tools):
        where = f"tools[{number}]"
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or tool.get("type") != "function":
            _bad("a tool has the type function, and a function", where)
        name = function.get("name")
        if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
            _bad("a name has 1 to 64 letters, digits, _ or -", f"{where}.function.name")
        if not isinstance(function.get("parameters", {}), dict):
            _bad("parameters is a JSON Schema object", f"{where}.function.parameters")


def _bad(message: str, param: str | None) -> NoReturn:
    raise Refused(400, "invalid_request", message, param=param)
