"""One server on a socket, in a background thread: uvicorn made silent, quick to stop and safe to start."""

from __future__ import annotations

import asyncio
import atexit
import importlib
import importlib.util
import logging
import socket
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import httpx
import uvicorn

from stub_server.address import HOST, is_loopback
from stub_server.app import StubApp
from stub_server.connection import connection_class
from stub_server.decide_threads import DecideThreads
from stub_server.errors import Mendable
from stub_server.ledger import Ledger
from stub_server.request_log import RequestLog, Served
from stub_server.room import Room
from stub_server.write_once import Decide

DECIDE_SECONDS = 2.0
# Longer than common clients keep an idle connection, so that they close it and never find it closed.
KEEP_ALIVE_SECONDS = 75
STOP_SECONDS = 0.4


class StartError(Mendable):
    """Raised when a server cannot start as asked. The message is one line that says what to do."""


class Stub:
    """A server in a background thread, with what a notebook needs of it.

    Attributes:
        url: where it listens, without a path.
        base_url: the same with `/v1`, for clients of the planner.
    """

    def __init__(self, *, host: str = HOST, port: int = 0, room: Room | None = None) -> None:
        self._room = room or Room()
        if not is_loopback(host) and self._room.door.token is None:
            raise StartError(f"{host} is open to others: choose a room token (--room-token), or listen on {HOST}")
        listener = _listen(host, port)
        self.port: int = listener.getsockname()[1]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}"
        self.base_url = f"{self.url}/v1"
        self._server: uvicorn.Server | None = None
        self._is_up = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(listener,), name="admit-one-stub", daemon=True)
        self._thread.start()
        self._is_up.wait()
        if self._server is None or not self._server.started:
            raise StartError("the server did not start; its reason stands above")
        atexit.register(self.stop)

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    @property
    def ledger(self) -> Ledger:
        return self._room.ledger

    @property
    def log(self) -> RequestLog:
        return self._room.log

    def client(self, **options: Any) -> httpx.Client:
        """A client of this server; ``options`` are httpx.Client's.

        Proxy settings of the environment are not heeded: a campus proxy knows nothing of this machine's loopback.
        """
        return httpx.Client(**{"base_url": self.url, "trust_env": False, **options})

    def mount(self, decide: Decide) -> None:
        """Answer `POST /tool` with this function from now on. Ledger, records and log stay as they are."""
        if not callable(decide):
            raise TypeError("mount() takes the function itself: stub.mount(decide)")
        self._room.decide = decide

    def play(self, scenario: str | None) -> None:
        """Play a scenario of scripted faults from its beginning; None ends it.

        Raises:
            ValueError: there is none of that name; the message lists the names there are.
        """
        self._room.play(scenario)

    def reset(self) -> None:
        """Begin with an empty ledger, store and log, and say in one line what was forgotten.

        The mounted function stays, and a scenario starts again. A call that still hangs keeps the ledger that it
        was given.
        """
        print(self._room.forget())

    def stop(self) -> None:
        """Stop serving and free the port, within a second. Stopping twice is fine.

        Only a thread in which a student's function still hangs is left, since none can be killed.
        """
        if self._server is not None:
            self._server.should_exit = True
        self._thread.join()
        self._room.close()
        atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<stub server, {'running' if self.is_running else 'stopped'}>"

    def _serve(self, listener: socket.socket) -> None:
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                runner.run(self._serve_on_loop(listener))
        finally:
            self._is_up.set()
            listener.close()

    async def _serve_on_loop(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._note_fault)
        threads = DecideThreads(loop, DECIDE_SECONDS)
        config = uvicorn.Config(
            StubApp(self._room),
            http=connection_class(threads, self._room.log),
            interface="asgi3",
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )
        _silence()
        self._server = _Server(config, self._is_up)
        try:
            await self._server.serve(sockets=[listener])
        finally:
            threads.stop(STOP_SECONDS / 2)

    def _note_fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What the loop could not tell anybody goes into the log, since stderr belongs to the notebook."""
        error = context.get("exception")
        self._room.log.add(Served("-", "-", error=context["message"] if error is None else type(error).__name__))


class _Server(uvicorn.Server):
    """uvicorn's server, which says when it listens and does not wait for hanging requests at the end."""

    def __init__(self, config: uvicorn.Config, is_up: threading.Event) -> None:
        super().__init__(config)
        self._is_up = is_up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._is_up.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().call_later(STOP_SECONDS, self._give_up)
        await super().shutdown(sockets)

    def _give_up(self) -> None:
        self.force_exit = True
        for connection in list(self.server_state.connections):  # since Python 3.12 the listener waits for them
            connection.transport.abort()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's event loop where it is installed: with it a request costs half of the time."""
    if importlib.util.find_spec("uvloop") is None:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = importlib.import_module("uvloop").new_event_loop
    return factory


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio turns Nagle off; without it each answer waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform == "win32":  # where SO_REUSEADDR would let two servers share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise StartError(f"cannot listen on {host}:{port}: {error.strerror}; choose another port") from None
    return listener


def port_is_free(port: int) -> bool:
    """Whether a server could listen on the port of this machine's loopback now."""
    try:
        _listen(HOST, port).close()
    except StartError:
        return False
    return True


def _silence() -> None:
    """Keep uvicorn's loggers off stderr, where logging puts warnings that nobody has asked for."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
