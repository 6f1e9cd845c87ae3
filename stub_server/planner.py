"""The planner: a chat-completions endpoint that plays a recorded script instead of asking a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from stub_server.chat_request import ChatRequest, check_request
from stub_server.scripts import Delta, Script, Turn, scripts
from stub_server.strict_json import BadJson, parse
from stub_server.wire import BODY_BYTES, Refused, answer, read_body

# The same request gives the same bytes, so no clock and no chance in them.
CREATED = 1_767_225_600
PIECE_CHARS = 12


class _EventStream(Response):
    """Server-sent events, one body message each. Starlette's own streaming needs an event loop; this does not."""

    def __init__(self, events: Iterator[dict[str, Any]]) -> None:
        super().__init__(headers={"cache-control": "no-store"}, media_type="text/event-stream")
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for event in self._events:
            line = b"data: " + json.dumps(event).encode("ascii") + b"\n\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"data: [DONE]\n\n", "more_body": False})


async def chat_completions(request: Request) -> Response:
    """`POST /v1/chat/completions`. The model's name is the script's; how many assistant messages the request
    holds says which turn is next, so that the server keeps nothing between requests."""
    body = await read_body(request)
    try:
        payload = parse(body, max_bytes=BODY_BYTES)
    except BadJson as bad:
        raise Refused(400, "bad_json", str(bad)) from None
    asked = check_request(payload)
    script = scripts().get(asked.model)
    if script is None:
        raise Refused(404, "model_not_found", f"the scripts are {', '.join(scripts())}", param="model")
    turn = script.turn(asked.turn)
    head = {"id": f"chatcmpl-{script.name}-{asked.turn + 1}", "created": CREATED, "model": script.name}
    usage = _usage(len(body), turn)
    if asked.is_streamed:
        return _EventStream(_chunks({**head, "object": "chat.completion.chunk"}, turn, asked, usage))
    return answer({**head, "object": "chat.completion", "choices": [_choice(turn)], "usage": usage})


async def models(request: Request) -> Response:
    """`GET /v1/models`: the scripts, as models."""
    return answer({"object": "list", "data": [_model(script) for script in scripts().values()]})


async def model(request: Request) -> Response:
    """`GET /v1/models/{name}`."""
    script = scripts().get(request.path_params["name"])
    if script is None:
        raise Refused(404, "model_not_found", "there is no script of that name", param="model")
    return answer(_model(script))


def _model(script: Script) -> dict[str, Any]:
    return {
        "id": script.name,
        "object": "model",
        "created": CREATED,
        "owned_by": "stub_server",
        "description": script.about,
    }


def _choice(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.content, "refusal": None}
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.calls
        ]
    return {"index": 0, "message": message, "logprobs": None, "finish_reason": turn.finish_reason}


def _usage(request_bytes: int, turn: Turn) -> dict[str, int]:
    """Token counts that are plausible and always the same: four characters each."""
    said = len(turn.content or "") + sum(len(call.name) + len(call.arguments) for call in turn.calls)
    prompt, completion = request_bytes // 4 + 1, said // 4 + 1
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _chunks(head: dict[str, Any], turn: Turn, asked: ChatRequest, usage: dict[str, int]) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**head, "choices": [choice], **({"usage": None} if asked.wants_usage else {})}

    yield chunk({"role": "assistant", "content": "" if turn.content else None})
    content = turn.content or ""
    for at in range(0, len(content), PIECE_CHARS):
        yield chunk({"content": content[at : at + PIECE_CHARS]})
    for delta in turn.deltas:
        yield chunk({"tool_calls": [_streamed(delta)]})
    yield chunk({}, turn.finish_reason)
    if asked.wants_usage:
        yield {**head, "choices": [], "usage": usage}


def _streamed(delta: Delta) -> dict[str, Any]:
    function = {"arguments": delta.arguments}
    if delta.id is None:
        return {"index": delta.index, "function": function}
    named = {"name": delta.name, **function}
    return {"index": delta.index, "id": delta.id, "type": "function", "function": named}
