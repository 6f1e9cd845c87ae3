"""`POST /tool`: the student's `decide(payload, store)` behind HTTP, believed only where it makes sense."""

from __future__ import annotations

import inspect
import threading
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stub_server.decide_threads import Hung, NeverStarted
from stub_server.ledger import ORDER_TOOL
from stub_server.request_log import key_in
from stub_server.room import Room
from stub_server.runtime import runtime_of
from stub_server.strict_json import BadJson, parse
from stub_server.wire import BODY_BYTES, Refused, answer, encoded, entry_of, json_bytes, read_body
from stub_server.write_once import Decide, StampStore

REPLY_BYTES = 256 * 1024
ERROR_CHARS = 64
WITHOUT_BODY = (204, 205, 304)
# Common clients send a 409 again unless told that it will not help.
NO_RETRY = {"x-should-retry": "false"}


class Nonsense(TypeError):
    """Raised for what `decide` returned when it is no `(status, body)`: a whole number and a JSON object."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What `decide` said, already in bytes, or the type of what went wrong instead."""

    status: int = 0
    body: bytes = b""
    error: str | None = None


async def tool(request: Request) -> Response:
    """Answer with what the mounted function decides (spec 2, Lab 4; spec 3).

    The function runs with a time limit where there are threads. If it raises, hangs or returns nonsense, the
    answer is 500 `outcome_unknown`: none of the three decisions, since an effect may have landed.
    """
    room: Room = request.app.state.room
    served = entry_of(request).served
    try:
        payload = parse(await read_body(request), max_bytes=BODY_BYTES)
    except BadJson as bad:
        served.error = bad.reason
        return refusal(room, Refused(400, "bad_json", str(bad)))
    except Refused as refused:
        return refusal(room, refused)
    decide, store = room.decide, room.store
    if decide is None:
        return _without_decision(room, 503, "no_decide_mounted", "mount a function first: stub.mount(decide)")
    served.key = key = key_in(payload)

    def run() -> Answer:
        with room.under_way(ORDER_TOOL, key):
            return call_decide(decide, payload, store)

    try:
        said = await runtime_of(request.scope).call(run)
    except NeverStarted:
        return _without_decision(room, 503, "busy", "no thread was free; nothing was applied")
    except Hung as hung:
        said = Answer(error=type(hung).__name__)
    if said.error is not None:
        served.error = said.error
        return _without_decision(room, 500, "outcome_unknown", "an effect may have landed: look it up")
    return encoded(said.body, said.status, NO_RETRY if said.status == 409 else None)


def call_decide(decide: Decide, payload: Any, store: StampStore) -> Answer:
    """Call the function and turn what it returns into bytes. It raises nothing that student code raised."""
    try:
        returned = decide(payload, store)
        return Answer(*_checked(returned))
    except KeyboardInterrupt as error:
        if threading.current_thread() is threading.main_thread():
            raise  # somebody interrupts the notebook
        return Answer(error=type(error).__name__[:ERROR_CHARS])
    except BaseException as error:  # sys.exit() in a student's function ends the call, not the server
        return Answer(error=type(error).__name__[:ERROR_CHARS])


def _checked(returned: object) -> tuple[int, bytes]:
    if inspect.iscoroutine(returned):
        returned.close()  # or it would complain on stderr that nobody awaited it
        raise Nonsense("decide is a plain function, not async")
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise Nonsense("decide returns (status, body)")
    status, body = returned
    if isinstance(status, bool) or not isinstance(status, int) or not 200 <= status <= 599:
        raise Nonsense("the status is a whole number from 200 to 599")
    if status in WITHOUT_BODY:
        raise Nonsense("an answer with this status has no body")
    if not isinstance(body, dict):
        raise Nonsense("the body is a dict")
    text = json_bytes(body)
    if len(text) > REPLY_BYTES:
        raise Nonsense("the body is too large")
    return int(status), text


def refusal(room: Room, refused: Refused) -> Response:
    """The REJECT body of this endpoint, with the counter as it stands."""
    body = {"decision": "REJECT", "reason": refused.code, "side_effect_counter": room.store.effects}
    return answer(body, refused.status, refused.headers)


def _without_decision(room: Room, status: int, reason: str, message: str) -> Response:
    body = {"reason": reason, "message": message, "side_effect_counter": room.store.effects}
    return answer(body, status)
