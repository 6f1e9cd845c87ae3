"""Lab 3 over HTTP: layers that each retry, a sender that does not look, and the stub's tools as the loop meets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx

from workshop.limits import STRICT_LIMITS
from workshop.retry import Observation, WantedCall

LOST = (httpx.ReadTimeout, httpx.WriteTimeout, httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
"""A request was on its way and no answer came: nobody knows what was applied. Where no connection came about, nothing
has left this machine, and that is another error."""

STUB_LIMITS: Mapping[str, int] = {**STRICT_LIMITS, "max_bytes": 200}
"""What the stub's tools are registered with: two search hits are more than 40 bytes."""


def ask_through_layers(post: Callable[[], bool], *, http_client: int, dispatcher: int, model: int) -> bool:
    """Call ``post`` through three layers, each of which tries as often as it is told until one try succeeds.

    Each layer sees one failed call and knows nothing of the tries below it. Gives whether a try succeeded.
    """

    def client_sends() -> bool:
        return any(post() for _ in range(http_client))

    def dispatcher_runs() -> bool:
        return any(client_sends() for _ in range(dispatcher))

    return any(dispatcher_runs() for _ in range(model))


def send_until_answered(client: httpx.Client, tool: str, arguments: Mapping[str, Any], *, tries: int = 3) -> int:
    """POST the same call until an answer comes, as a sender does that does not look; how many POSTs it took."""
    for sent in range(1, tries + 1):
        try:
            client.post(f"/tools/{tool}", json={"arguments": arguments})
        except LOST:
            continue
        return sent
    return tries


class HttpTools:
    """The stub's tools for the loop: each start is one POST, and each answer goes through the student's observe.

    Args:
        client: a client with retries of its own off, which is httpx's default.
        patience_s: how long a start is really waited for. The loop's clock is told what its own timer would say.
    """

    def __init__(
        self, client: httpx.Client, observe: Callable[..., Observation], *, patience_s: float | None = None
    ) -> None:
        self._client, self._observe = client, observe
        self._timeout = client.timeout if patience_s is None else httpx.Timeout(patience_s)

    def start(self, call: WantedCall, key: str | None, wait_ms: float) -> tuple[float, Observation]:
        """One POST. An answer costs no time on the loop's clock, a lost one the whole wait."""
        arguments = {**call.args, **({} if key is None else {"idempotency_key": key})}
        try:
            reply = self._client.post(f"/tools/{call.tool}", json={"arguments": arguments}, timeout=self._timeout)
        except LOST:
            return wait_ms, self._observe(wait_ms + 1, None, {**STUB_LIMITS, "timeout_ms": wait_ms})
        body = reply.json()
        if body["ok"]:
            return 0, self._observe(0, body["data"], STUB_LIMITS)
        # This server refuses with 429 before it starts anything, and says when to come back.
        waits_s = float(reply.headers.get("retry-after", 0))
        return 0, {**body, "nothing_applied": reply.status_code == 429, "retry_after_ms": 1000 * waits_s}

    def poll(self, call: WantedCall, key: str | None) -> str:
        """Ask for the state of a key. Without one there is nothing to ask for: look the call up by hand."""
        if key is None:
            return "in_doubt"
        return str(self._client.get(f"/refunds/{key}").json()["state"])
