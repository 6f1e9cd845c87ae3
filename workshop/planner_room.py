"""Lab 2's planner and its tools, for one case: the stub in this process, every request counted."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import httpx

from stub_server import StubApp, SyncTransport


class PlannerRoom(httpx.BaseTransport):
    """The stub without a socket; its planner does what the case says, whichever model it is asked for.

    A case has a ``script`` of the stub's, a ``message`` to answer with (and its ``status``), or ``stalls``;
    ``scenario`` plays the stub's scripted faults.
    """

    def __init__(self, case: dict[str, Any]) -> None:
        self._case = case
        self._app = StubApp()
        self._app.room.play(case.get("scenario"))
        self._stub = SyncTransport(self._app)
        self.asked: list[dict[str, Any]] = []
        self.time_limits_s: list[float | None] = []

    def asked_whole(self, messages: list[dict[str, Any]]) -> bool:
        """Whether each request to the planner held the messages, a model and tools."""
        return all(
            asked.get("messages") == messages and bool(asked.get("model")) and bool(asked.get("tools"))
            for asked in self.asked
        )

    @property
    def tool_posts(self) -> dict[str, int]:
        """Requests to each tool, by the server's own log."""
        paths = [row["path"] for row in self._app.room.log.rows]
        return dict(Counter(path.removeprefix("/tools/") for path in paths if path.startswith("/tools/")))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path != "/v1/chat/completions":
            return self._stub.handle_request(request)
        body = json.loads(request.read())
        self.asked.append(body)
        self.time_limits_s.append(request.extensions.get("timeout", {}).get("read"))
        if self._case.get("stalls"):
            raise httpx.ReadTimeout("no answer in time", request=request)
        if "message" in self._case:
            choice = {"index": 0, "message": self._case["message"], "finish_reason": "tool_calls"}
            reply = {"object": "chat.completion", "choices": [choice]}
            return httpx.Response(self._case.get("status", 200), json=reply, request=request)
        script = {**body, "model": self._case["script"]}
        return self._stub.handle_request(httpx.Request("POST", request.url, json=script))
