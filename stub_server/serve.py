"""Starting the server: for a notebook, or as a process with what `admit-one stub` can be told."""

from __future__ import annotations

import gc
import re
import signal
import threading
from pathlib import Path
from types import FrameType

from stub_server.address import HOST, PORT, is_loopback
from stub_server.decide_file import load_decide
from stub_server.door import Door
from stub_server.errors import Mendable
from stub_server.fair_share import FairShare
from stub_server.request_log import RequestLog
from stub_server.room import Room
from stub_server.server import StartError, Stub

__all__ = ["StartError", "Stub", "serve_forever", "start"]

_notebook_stub: Stub | None = None


def start(port: int = PORT) -> Stub:
    """The notebook's server, in a background thread; the line printed says where.

    A second call while it runs does not start another and does not empty a ledger: it returns the same
    server, with everything it has counted, and says so. `stub.reset()` forgets, `stub.stop()` ends. For a
    server of its own, as in a test, use `Stub()`.

    Args:
        port: taken if it is free, otherwise any free one.
    """
    global _notebook_stub
    if _notebook_stub is not None and _notebook_stub.is_running:
        print(
            f"stub server: {_notebook_stub.url}, still running, {_notebook_stub.ledger.count} effects counted;"
            " stub.reset() forgets them"
        )
        return _notebook_stub
    try:
        stub = Stub(port=port)
    except StartError:
        stub = Stub()
    print(f"stub server: {stub.url}")
    _notebook_stub = stub
    return stub


def serve_forever(
    host: str = HOST,
    port: int = PORT,
    *,
    decide_file: Path | None = None,
    log_file: Path | None = None,
    store_file: Path | None = None,
    scenario: str | None = None,
    room_token: str | None = None,
    students_file: Path | None = None,
    fair_share: str | None = None,
) -> None:
    """Serve until interrupted or terminated: what `admit-one stub` does.

    Args:
        host: another address than loopback is classroom mode, and needs a room token.
        decide_file: a Python file that defines `decide(payload, store)`, to mount at `/tool`.
        log_file: where the log is also written, one JSON object a line.
        store_file: an SQLite file that keeps ledger and records over a restart.
        scenario: the name of the scripted faults to play.
        room_token: what every request must send as its Bearer token: at least 8 letters, digits, `-`, `.` or `_`.
        students_file: the ids that may post, one a line.
        fair_share: `N/hour`, the calls a student id may make in any hour. In classroom mode it needs the ids.

    Raises:
        StartError: something of this cannot be; the message is one line that says what to do.
    """
    try:
        door = _door(host, room_token, students_file, fair_share)
        decide = None if decide_file is None else load_decide(decide_file)
        room = Room(decide, log=RequestLog(log_file), door=door, store_file=store_file)
        room.play(scenario)
    except (Mendable, ValueError, OSError) as error:
        raise StartError(str(error)) from error
    ended = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        ended.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with Stub(host=host, port=port, room=room) as stub:
            print(f"stub server: {stub.url} (Ctrl-C ends it)", flush=True)
            # What is loaded stays loaded. Walking through all of it for garbage would hold up the room for 0.1 s.
            gc.freeze()
            while not ended.wait(0.5):  # an endless wait cannot be interrupted on Windows
                pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _door(host: str, token: str | None, students_file: Path | None, fair_share: str | None) -> Door:
    if token is not None and not re.fullmatch(r"[A-Za-z0-9._-]{8,200}", token):
        raise ValueError("a room token has at least 8 letters, digits, `-`, `.` or `_`")
    students = None
    if students_file is not None:
        lines = students_file.read_text(encoding="utf-8").split("\n")
        students = frozenset(line.strip() for line in lines if line.strip())
    if fair_share is None:
        return Door(token, students)
    calls = re.fullmatch(r"([1-9][0-9]{0,5})/hour", fair_share)
    if calls is None:
        raise ValueError(f"a fair share is written 60/hour, not {fair_share}")
    if students is None and not is_loopback(host):
        raise ValueError("a fair share in a classroom needs the list of student ids: whoever makes one up has no limit")
    return Door(token, students, FairShare(int(calls[1])))
