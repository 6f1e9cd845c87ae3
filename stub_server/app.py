"""The app: routes, what every request passes through, and how errors are told."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from stub_server.http import ClientGone, Refused, answer, error_answer
from stub_server.ledger import ORDER_TOOL
from stub_server.request_log import Served
from stub_server.room import Room
from stub_server.tool_endpoint import tool

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
        served = _row(scope)
        scope.setdefault("state", {})["served"] = served

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                served.status = message["status"]
            else:
                served.size += len(message.get("body", b""))
            await send(message)

        try:
            await self._routes(scope, receive, watched)
        finally:
            self.room.log.add(served)


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
    _served(request).error = "ClientGone"
    return Response(status_code=400)  # said to nobody


async def _our_fault(request: Request, error: Exception) -> Response:
    _served(request).error = type(error).__name__
    return error_answer(Refused(500, "internal_error", "the stub server has a fault"), "server_error")


def _served(request: Request) -> Served:
    served: Served = request.scope["state"]["served"]
    return served
