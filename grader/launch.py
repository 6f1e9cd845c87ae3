"""Starts the child process that student code runs in. The one seam behind which isolation goes.

A launcher takes the room, a folder that holds the lab's public files and nothing else, and gives back the running
child with its two sockets and its output. The one here bounds and kills but does not isolate: student code runs as
the user who grades.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil


class CouldNotLaunch(Exception):
    """The child did not start: our fault or the machine's, never the student's."""


@dataclass(frozen=True)
class Child:
    """A running child: our ends of the control and ledger sockets, its output, and how to end it."""

    control: socket.socket
    ledger: socket.socket
    output: int
    kill: Callable[[], None]
    memory: Callable[[], int]

    def close(self) -> None:
        """End the child and everything it started, then close our ends."""
        self.kill()
        self.control.close()
        self.ledger.close()
        os.close(self.output)


Launch = Callable[[Path], Child]


def launch_process(room: Path) -> Child:
    """A plain child process in ``room``, in a session of its own, with a bare environment."""
    control, inner_control = socket.socketpair()
    ledger, inner_ledger = socket.socketpair()
    output, inner_output = os.pipe()
    fds = (inner_control.fileno(), inner_ledger.fileno())
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "grader.runner", *map(str, fds)],
            cwd=room,
            env=child_environment(room),
            stdin=subprocess.DEVNULL,
            stdout=inner_output,
            stderr=inner_output,
            pass_fds=fds,
            start_new_session=True,
        )
    except OSError as problem:
        control.close()
        ledger.close()
        os.close(output)
        raise CouldNotLaunch(f"the grading process did not start: {problem}") from problem
    finally:
        inner_control.close()
        inner_ledger.close()
        os.close(inner_output)
    os.set_blocking(output, False)
    return Child(control, ledger, output, lambda: kill_tree(process), lambda: tree_memory(process.pid))


def child_environment(room: Path) -> dict[str, str]:
    """Nothing of the instructor's environment but what an interpreter needs."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
        "HOME": str(room),
        "TMPDIR": str(room),
        "IPYTHONDIR": str(room / ".ipython"),
        "MPLCONFIGDIR": str(room / ".matplotlib"),
        "MPLBACKEND": "Agg",
        "LANG": "C.UTF-8",
        "MALLOC_ARENA_MAX": "1",  # or 16 threads hang under the address-space limit
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL the child, its process group, and every descendant that left the group."""
    family = _family(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()


def tree_memory(pid: int) -> int:
    """Resident bytes of the child and its descendants."""
    total = 0
    for member in _family(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += member.memory_info().rss
    return total


def _family(pid: int) -> list[psutil.Process]:
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
