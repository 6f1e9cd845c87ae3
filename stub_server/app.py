"""The app: routes, what every request passes through, and how errors are told."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from stub_server.faults import play
from stub_server.ledger import ORDER_TOOL
from stub_server.planner import chat_completions, model, models
from stub_server.request_log import Entry, Served
from stub_server.room import Room
from stub_server.scenario import OK, Step, scenarios
from stub_server.tool_endpoint import tool
from stub_server.tools import call_tool, refund_state
from stub_server.wire import ClientGone, Refused, answer, entry_of, error_answer

MARK_CHARS = 64
PATH_CHARS = 200


class StubApp:
    """The ASGI application around one room. Every request is logged, whoever drives it."""

    def __init__(self, room: Room | None = None) -> None:
        self.room = room or Room()
        self._routes = Starlette(
            routes=[
                Route("/tool", tool, methods=["POST"]),
                Route("/orders/{key:path}", order, methods=["GET"]),
                Route("/tools/{name}", call_tool, methods=["POST"]),
                Route("/refunds/{key:path}", refund_state, methods=["GET"]),
                Route("/v1/chat/completions", chat_completions, methods=["POST"]),
                Route("/v1/models", models, methods=["GET"]),
                Route("/v1/models/{name}", model, methods=["GET"]),
                Route("/ledger", ledger, methods=["GET"]),
                Route("/log", log, methods=["GET"]),
                Route("/healthz", healthz, methods=["GET"]),
            ],
            exception_handlers={
                HTTPException: _http_error,
                Refused: _refused,
                ClientGone: _client_gone,
                Exception: _our_fault,
            },
        )
        self._routes.router.redirect_slashes = False
        self._routes.state.room = self.room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # no lifespan, no web sockets
        entry = Entry(self.room.log, _row(scope))
        scope.setdefault("state", {})["entry"] = entry

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                entry.served.status = message["status"]
            else:
                entry.served.size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    entry.write()
            await send(message)

        try:
            self.room.door.check(scope, entry.served.student)
            await play(self._step(scope), self._routes, scope, receive, watched, entry)
        except Refused as refused:
            await error_answer(refused)(scope, receive, watched)
        except ClientGone:
            entry.served.error = "ClientGone"
        finally:
            entry.write()

    def _step(self, scope: Scope) -> Step:
        """The scripted step for this request: the header's, which is for this call only, or the server's.

        A header stands still while a client tries again, so its step is chosen by the retry count the client sends.
        """
        wanted = retry = b""
        for name, value in scope["headers"]:
            if name == b"x-scenario":
                wanted = value
            elif name == b"x-stainless-retry-count":
                retry = value
        if not wanted:
            return OK if self.room.playing is None else self.room.playing.next(scope["path"])
        scenario = scenarios().get(wanted.decode("latin-1"))
        if scenario is None:
            raise Refused(400, "unknown_scenario", f"the scenarios are {', '.join(scenarios())}")
        return scenario.step(scope["path"], int(retry) if retry.isdigit() and len(retry) < 5 else 0)


def _row(scope: Scope) -> Served:
    """A log row of what may be kept of a request: cut short, without its query string or credentials."""
    served = Served(scope["method"][:MARK_CHARS], scope["path"][:PATH_CHARS])
    for name, value in scope["headers"]:
        if name == b"x-stainless-retry-count":
            served.retry = value[:MARK_CHARS].decode("latin-1")
        elif name == b"x-student-id":
            served.student = value[:MARK_CHARS].decode("latin-1")
    return served


def _room(request: Request) -> Room:
    room: Room = request.app.state.room
    return room


async def order(request: Request) -> Response:
    """Poll for one order by its key."""
    return answer(_room(request).look_up(ORDER_TOOL, request.path_params["key"]))


async def ledger(request: Request) -> Response:
    """The effects: how many, and each one."""
    book = _room(request).ledger
    rows = book.rows
    return answer({"side_effect_counter": book.count, "effects": [row.as_json() for row in rows]})


async def log(request: Request) -> Response:
    """The requests served before this one."""
    return answer(_room(request).log.as_json())


async def healthz(request: Request) -> Response:
    """Whether the server is ready, which it is when it answers."""
    return answer({"status": "ready"})


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http_error")
    headers = {name: ", ".join(sorted(value.split(", "))) for name, value in (error.headers or {}).items()}
    return error_answer(Refused(error.status_code, code, error.detail, headers))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return error_answer(error)


async def _client_gone(request: Request, error: Exception) -> Response:
    entry_of(request).served.error = "ClientGone"
    return Response(status_code=400)  # said to nobody


async def _our_fault(request: Request, error: Exception) -> Response:
    entry_of(request).served.error = type(error).__name__
    return error_answer(Refused(500, "internal_error", "the stub server has a fault"), "server_error")
