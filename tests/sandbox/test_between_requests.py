"""What the watchdog and the wiping must also see: growth between quick requests, and settings that forks inherit."""

from __future__ import annotations

import pytest

from grader.asker import RoomClosed
from tests.sandbox.visit import Visit, Visiting

GROWS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        held = bytearray(b"x" * 300_000_000)
        time.sleep(60)
        os._exit(0)
"""
SETTINGS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {"x86_64": (314, 315, 251, 252), "aarch64": (274, 275, 30, 31)}
SET_ATTR, GET_ATTR, SET_IO, GET_IO = NUMBERS[os.uname().machine]

def settings():
    attributes = ctypes.create_string_buffer(56)
    libc.syscall(GET_ATTR, 1, attributes, 56, 0)
    return [attributes.raw.hex(), libc.syscall(GET_IO, 1, 1)]
"""
CHANGES = {
    "its slice of processor time": (
        "attributes = ctypes.create_string_buffer(56); libc.syscall(GET_ATTR, 1, attributes, 56, 0)\n"
        "attributes[24:32] = (100_000_000).to_bytes(8, 'little'); libc.syscall(SET_ATTR, 1, attributes, 0)"
    ),
    "its place at the disk": "libc.syscall(SET_IO, 1, 1, 2 << 13 | 7)",
}


def test_memory_is_watched_however_quick_the_cells_are(visit: Visiting) -> None:
    """Each cell ends long before one tick of the watchdog; all of them take dozens."""
    with visit() as inside:
        inside.run(GROWS)
        with pytest.raises(RoomClosed, match="MiB of memory"):
            _run_quick_cells(inside, 20_000)  # far more than there is time for: the memory fills in a second or two


def _run_quick_cells(inside: Visit, count: int) -> None:
    for _ in range(count):
        inside.run("pass")


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_a_fork_inherits_does_not_reach_the_next_notebook(visit: Visiting, change: str) -> None:
    with visit() as inside:
        before = inside.value("settings()", SETTINGS)
        inside.run(SETTINGS + change)
    with visit() as inside:
        assert inside.value("settings()", SETTINGS) == before


LOCKS = """
import ctypes, fcntl, os, platform
shared = open(os.__file__, "rb")
libc = ctypes.CDLL(None, use_errno=True)

def refused(ask):
    try:
        ask()
    except PermissionError:
        return True
    return False

def watch():
    if libc.inotify_init1(0) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
"""


@pytest.mark.parametrize(
    "ask",
    [
        "lambda: fcntl.flock(shared, fcntl.LOCK_SH)",
        "lambda: fcntl.lockf(shared, fcntl.LOCK_SH, 1)",
        "lambda: fcntl.fcntl(shared, 37, bytes(32))",
        "lambda: fcntl.fcntl(shared, fcntl.F_SETLEASE, fcntl.F_RDLCK)",
        "lambda: fcntl.fcntl(os.open('/usr/lib', os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)",
        "watch",
    ],
)
def test_a_file_that_all_sandboxes_see_carries_no_word_between_them(inside: Visit, ask: str) -> None:
    """A lock on the interpreter's own library told another student's shown pass a hidden input, bit by bit."""
    assert inside.value(f"refused({ask})", LOCKS) is True


def test_what_else_fcntl_does_still_works(inside: Visit) -> None:
    assert inside.value("fcntl.fcntl(shared, fcntl.F_GETFD)", LOCKS) == 1
