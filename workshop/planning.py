"""Lab 2's props for a planner: its client, a proposed call, the runner of admitted calls, streams joined."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from stub_server.address import is_loopback
from workshop.permit import parse_json

TIMEOUT_S = 20.0


@dataclass(frozen=True)
class Call:
    """A tool call that may run: ``args`` is the parsed JSON object, ``id`` what the planner calls it by."""

    id: str
    name: str
    args: dict[str, Any]


def planner_client(base_url: str) -> httpx.Client:
    """A client of an OpenAI-compatible planner: it sends a request once and waits for a limited time.

    The limit is LAB_TIMEOUT_SEC (s), 20 where it is not set. LAB_API_KEY, if set, is sent as the Bearer token.
    """
    key = os.environ.get("LAB_API_KEY")
    # A campus proxy knows the way to a planner elsewhere, and nothing of this machine's loopback.
    is_elsewhere = not is_loopback(httpx.URL(base_url).host)
    return httpx.Client(
        base_url=base_url,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        timeout=float(os.environ.get("LAB_TIMEOUT_SEC", TIMEOUT_S)),
        trust_env=is_elsewhere,
    )


def tool_runner(tools: httpx.Client) -> Callable[[Call], Any]:
    """``run_tool(call)``: POST one call to the tools behind ``tools`` and give the answer. No redirect is followed."""

    def run_tool(call: Call) -> Any:
        path = f"/tools/{quote(call.name, safe='')}"
        return tools.post(path, json={"arguments": call.args}, follow_redirects=False).json()

    return run_tool


def told_to_planner(call: Call, answer: Any) -> list[dict[str, Any]]:
    """The two messages that tell a planner what came of its call, as the protocol wants them."""
    function = {"name": call.name, "arguments": json.dumps(call.args)}
    proposed = {"id": call.id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [proposed]},
        {"role": "tool", "tool_call_id": call.id, "content": json.dumps(answer)},
    ]


class JoinedStreams:
    """A planner's client that asks for a stream and hands on the joined reply, so that nothing else need change."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def post(self, url: str, *, json: dict[str, Any]) -> httpx.Response:  # named as httpx names it
        reply = self._client.post(url, json={**json, "stream": True})
        if reply.is_error:
            return reply
        return httpx.Response(200, json=join_stream(reply.text), request=reply.request)


def join_stream(text: str) -> dict[str, Any]:
    """The one reply that the events of a stream add up to, its tool calls joined by index.

    A stream without a single meaning becomes one call whose arguments are "", which nobody takes for JSON: an index
    with two ids or names, an id on two indexes, calls cut off by the length limit, or a stream that never ended.
    """
    content, finish_reason = "", None
    joined = _JoinedCalls()
    for choice in _choices(text):
        finish_reason = choice.get("finish_reason") or finish_reason
        content += choice["delta"].get("content") or ""
        for delta in choice["delta"].get("tool_calls") or ():
            joined.add(delta)
    calls = joined.calls(is_whole=finish_reason not in (None, "length"))
    message = {"role": "assistant", "content": content or None, "tool_calls": calls or None}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}


def _choices(text: str) -> Iterator[dict[str, Any]]:
    for line in text.split("\n"):
        event = line.removeprefix("data:").strip()
        if line.startswith("data:") and event != "[DONE]":
            yield from parse_json(event).get("choices", ())


class _JoinedCalls:
    """The calls of a stream so far, and whether each piece had one meaning."""

    def __init__(self) -> None:
        self._by_index: dict[int, dict[str, str]] = {}
        self._is_clear = True

    def add(self, delta: dict[str, Any]) -> None:
        index, function = delta.get("index"), delta.get("function") or {}
        if type(index) is not int:
            self._is_clear, index = False, -1
        call = self._by_index.setdefault(index, {"id": "", "name": "", "arguments": ""})
        for key, said in (("id", delta.get("id")), ("name", function.get("name"))):
            self._is_clear &= not said or call[key] in ("", said)
            call[key] = call[key] or said or ""
        call["arguments"] += function.get("arguments") or ""

    def calls(self, *, is_whole: bool) -> list[dict[str, Any]]:
        calls = [call for _, call in sorted(self._by_index.items())]
        ids = {call["id"] for call in calls}
        if calls and not (is_whole and self._is_clear and len(ids) == len(calls)):
            calls = [{**calls[0], "arguments": ""}]
        return [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in calls
        ]
