"""Framed messages over a socket: a four-byte length, then that many bytes of JSON text."""

from __future__ import annotations

import socket
import struct

_LENGTH = struct.Struct(">I")
MAX_FRAME_BYTES = 1024 * 1024
"""Longer than the longest answer (256 KiB): a longer frame is a broken protocol, not a long answer."""


class BadFrame(Exception):
    """The other side announced a frame that is too long."""


def frame(payload: bytes) -> bytes:
    """``payload`` with its length in front."""
    return _LENGTH.pack(len(payload)) + payload


class FrameBuffer:
    """Collects bytes as they come and gives back whole frames."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        self._bytes += data

    def take(self) -> bytes | None:
        """The next whole frame, or None until it is there. Raises BadFrame for an impossible length."""
        if len(self._bytes) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._bytes)
        if length > MAX_FRAME_BYTES:
            raise BadFrame("longer than any answer")  # the length itself is the sender's: it could tell something
        end = _LENGTH.size + length
        if len(self._bytes) < end:
            return None
        payload = bytes(self._bytes[_LENGTH.size : end])
        del self._bytes[:end]
        return payload

    @property
    def is_empty(self) -> bool:
        return not self._bytes


class BlockingChannel:
    """The inner end: waits for a frame, sends some."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._buffer = FrameBuffer()

    def send(self, *payloads: bytes) -> None:
        """All at once: the other end wakes once."""
        self._sock.sendall(b"".join(map(frame, payloads)))

    def receive(self) -> bytes:
        """The next frame; raises EOFError where the other side has closed."""
        while True:
            payload = self._buffer.take()
            if payload is not None:
                return payload
            data = self._sock.recv(65536)
            if not data:
                raise EOFError("the other end has closed")
            self._buffer.feed(data)
