"""The outer end of the channel: one request, a deadline, exactly one reply; the ledger and the output beside it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import time
from dataclasses import dataclass
from typing import Any

from grader.bounds import MAX_REPLY_BYTES, Bounds
from grader.channel import BadFrame, FrameBuffer, frame
from grader.launch import Child, CouldNotLaunch
from stub_server.ledger import ORDER_TOOL, Ledger
from stub_server.strict_json import BadJson, parse

_TICK_S = 0.05
_CHUNK = 65536
# An answer is JSON text inside a JSON string, so quotes and backslashes are escaped once more.
_MAX_FRAME = 2 * MAX_REPLY_BYTES + 1024
_MAX_LEDGER_REQUEST = 4096
_MAX_PARTS = 32
"""A reply and a request of the ledger hold a few texts: what has many parts only takes the grader's time."""


class RoomClosed(Exception):
    """The child is of no more use: ``status`` says whether it was late, died, or broke the protocol.

    ``where`` is put in by who asked: the cell or the check that it happened in.
    """

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.where = ""
        self.output = b""

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}" if self.where else self.reason


@dataclass(frozen=True)
class Heard:
    """A reply as untrusted JSON, and what the child printed until it came."""

    message: dict[str, Any]
    output: bytes


class Asker:
    """Asks one child; the ledger of the case that is being asked is ``ledger``."""

    def __init__(self, child: Child, bounds: Bounds) -> None:
        self.ledger = Ledger()
        self._child = child
        self._bounds = bounds
        self._replies, self._requests = FrameBuffer(), FrameBuffer()
        self._selector = selectors.DefaultSelector()
        child.control.setblocking(False)
        child.ledger.setblocking(False)
        self._selector.register(child.control, selectors.EVENT_READ, self._hear)
        self._selector.register(child.ledger, selectors.EVENT_READ, self._serve_ledger)
        self._selector.register(child.output, selectors.EVENT_READ, self._drain)
        self._output = bytearray()
        self._room_for_output = bounds.cell_output
        self._asked_ledger = 0
        self._went_well = True
        self._last_look = time.monotonic()

    def ask(self, request: dict[str, Any], *, until: float, room_for_output: int) -> Heard:
        """Send ``request`` and wait for its reply until ``until`` (monotonic seconds).

        Raises RoomClosed: ``timed_out`` after the deadline, ``crashed`` where the child died or grew past its
        memory, ``tampered`` where it spoke unasked, twice, or something that is no reply. Raises CouldNotLaunch where
        the sandbox was killed under it: that is no doing of the child's.
        """
        self._output = bytearray()
        self._room_for_output = room_for_output
        try:
            return self._ask(request, until)
        except RoomClosed as closed:
            self._went_well = False
            self._drain()
            closed.output = bytes(self._output)
            raise

    def switch_ledger(self, ledger: Ledger) -> None:
        """From now on effects count on ``ledger``; those already on the wire belong to the one before."""
        self._serve_ledger()
        self.ledger = ledger

    def close(self) -> None:
        self._selector.close()
        self._child.close(went_well=self._went_well)

    def _ask(self, request: dict[str, Any], until: float) -> Heard:
        self._hear()
        if not self._replies.is_empty:
            raise RoomClosed("tampered", "a reply came before it was asked for")
        request_id, fence_id = secrets.token_hex(16), secrets.token_hex(16)
        self._send(frame(json.dumps({**request, "id": request_id, "fence": fence_id}).encode()), until)
        message = _read_message(self._wait_for_reply(until), request_id)
        # The runner sends the fence behind its reply: what was sent before that reply stands before the fence too.
        _read_message(self._wait_for_reply(until), fence_id)
        while self._replies.is_empty and self._take_what_came(wait_s=0):
            self._look(now := time.monotonic())
            if now > until:
                raise RoomClosed("timed_out", "the output did not end in time")
        self._look(time.monotonic())
        if not self._replies.is_empty:
            raise RoomClosed("tampered", "more than one reply came")
        return Heard(message, bytes(self._output))

    def _send(self, data: bytes, until: float) -> None:
        control = self._child.control
        try:
            with contextlib.suppress(BlockingIOError):
                data = data[control.send(data) :]  # nearly always all of it
            if data:
                control.settimeout(max(0.01, until - time.monotonic()))
                control.sendall(data)
        except TimeoutError as late:
            raise RoomClosed("timed_out", "the process took no more requests") from late
        except OSError as gone:
            raise self._death() from gone
        finally:
            control.setblocking(False)

    def _death(self) -> Exception:
        if self._child.is_cut_off():
            return CouldNotLaunch("the sandbox was ended from outside")
        return RoomClosed("crashed", "the process died")

    def _wait_for_reply(self, until: float) -> bytes:
        while True:
            try:
                payload = self._replies.take()
            except BadFrame as broken:
                raise RoomClosed("tampered", f"the reply was {broken}") from broken
            if payload is not None:
                return payload
            now = time.monotonic()
            if now >= until:
                raise RoomClosed("timed_out", "time was up")
            self._look(now)
            self._take_what_came(wait_s=min(_TICK_S, until - now))

    def _take_what_came(self, *, wait_s: float) -> bool:
        """What of replies, effects and output is there, or comes within ``wait_s``; True where more may be printed."""
        more = [key.data() for key, _ in self._selector.select(wait_s)]
        return any(more)

    def _look(self, now: float) -> None:
        """Once a tick, however many requests are answered in it: see whether a bound is passed."""
        if now - self._last_look < _TICK_S:
            return
        self._last_look = now
        if excess := self._excess():
            raise RoomClosed("crashed", excess)

    def _excess(self) -> str:
        if self._asked_ledger > self._bounds.effects:
            return f"it asked the ledger more than {self._bounds.effects} times"
        return self._child.excess(self._bounds)

    def _hear(self) -> None:
        try:
            data = self._child.control.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            raise self._death()
        self._replies.feed(data)

    def _drain(self) -> bool:
        """Take what was printed, keep what there is room for; True while there may be more."""
        try:
            data = os.read(self._child.output, _CHUNK)
        except OSError:  # nothing there yet, or nobody left to print
            return False
        if not data:
            self._forget(self._child.output)
            return False
        self._output += data[: max(0, self._room_for_output - len(self._output))]
        return True

    def _serve_ledger(self) -> None:
        try:
            data = self._child.ledger.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._forget(self._child.ledger)
            return
        self._requests.feed(data)
        try:
            while (request := self._requests.take()) is not None:
                self._asked_ledger += 1
                self._child.ledger.sendall(frame(json.dumps(self._ledger_answer(request)).encode()))
        except (BadFrame, BadJson, OSError):
            self._forget(self._child.ledger)  # the child breaks its own ledger: it gets no more order ids

    def _ledger_answer(self, request: bytes) -> Any:
        message = parse(request, max_bytes=_MAX_LEDGER_REQUEST, max_parts=_MAX_PARTS)
        if isinstance(message, dict) and isinstance(message.get("apply"), list):
            key, sku, qty = (*message["apply"], None, None, None)[:3]
            # Whatever the arguments are worth, an effect that was made counts.
            return self.ledger.record(ORDER_TOOL, key if isinstance(key, str) else None, {"sku": sku, "qty": qty})
        if message == {"count": True}:
            return self.ledger.count
        raise BadFrame("no request")

    def _forget(self, source: Any) -> None:
        if source in [key.fileobj for key in self._selector.get_map().values()]:
            self._selector.unregister(source)


def _read_message(payload: bytes, request_id: str) -> dict[str, Any]:
    try:
        message = parse(payload, max_bytes=_MAX_FRAME, max_parts=_MAX_PARTS)
    except BadJson as broken:
        raise RoomClosed("tampered", "the reply was not JSON") from broken
    if not isinstance(message, dict) or message.get("id") != request_id:
        raise RoomClosed("tampered", "the reply did not belong to the request")
    return message
