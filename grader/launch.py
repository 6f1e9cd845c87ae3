"""Starts the child process that student code runs in. The one seam behind which isolation goes.

A launcher takes the room's files, the lab's public ones and nothing else, and gives back the running child with its
two sockets and its output. The one here bounds and kills but does not isolate: student code runs as
the user who grades. grader.sandbox has the one that isolates.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from grader.bounds import Bounds
from stub_server.errors import Mendable


class CouldNotLaunch(Mendable):
    """The child did not start: our fault or the machine's, never the student's."""


@dataclass(frozen=True)
class Child:
    """A running child: our ends of the control and ledger sockets, and its output.

    ``excess`` says in words which bound the child and its descendants are past, or "". ``is_cut_off`` says of a child
    that has died whether the place it ran in was taken from it, which it cannot do itself. ``end`` ends them all; it
    is told whether the run went well, since only then may the place serve again.
    """

    control: socket.socket
    ledger: socket.socket
    output: int
    excess: Callable[[Bounds], str]
    is_cut_off: Callable[[], bool]
    end: Callable[[bool], None]

    def close(self, *, went_well: bool) -> None:
        """End the child and everything it started, then close our ends."""
        self.end(went_well)
        self.control.close()
        self.ledger.close()
        os.close(self.output)


Furniture = Mapping[str, bytes]
"""A room's files by their path in it."""
Launch = Callable[[Furniture, bool], Child]
"""``launch(files, is_hidden)``: hidden inputs will enter the child where ``is_hidden``, so that no place which has
known one may ever serve a child whose output is shown."""


@dataclass(frozen=True)
class Wires:
    """Both ends of what connects a child: the outer ones for Child, the inner ones for the new process."""

    control: socket.socket
    ledger: socket.socket
    output: int
    inner_control: socket.socket
    inner_ledger: socket.socket
    inner_output: int

    @classmethod
    def lay(cls) -> Wires:
        control, inner_control = socket.socketpair()
        ledger, inner_ledger = socket.socketpair()
        output, inner_output = os.pipe()
        os.set_blocking(output, False)
        return cls(control, ledger, output, inner_control, inner_ledger, inner_output)

    @property
    def inner_fds(self) -> tuple[int, int, int]:
        return self.inner_control.fileno(), self.inner_ledger.fileno(), self.inner_output

    def close_inner(self) -> None:
        """Once the child has them: else its death would not show as an end of file."""
        self.inner_control.close()
        self.inner_ledger.close()
        os.close(self.inner_output)

    def close_outer(self) -> None:
        self.control.close()
        self.ledger.close()
        os.close(self.output)


def furnish(room: Path, files: Furniture) -> None:
    """Write the room's files into a folder."""
    for name, data in files.items():
        path = room / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def refuse_windows() -> None:
    """It has no inherited sockets and no process groups; raises CouldNotLaunch."""
    if sys.platform == "win32":
        raise CouldNotLaunch("Windows cannot grade: run the same command in WSL2, on Linux or on macOS")


def launch_process(files: Furniture, is_hidden: bool) -> Child:
    """A plain child process in a folder and a session of its own, with a bare environment; it is used only once."""
    refuse_windows()
    place = tempfile.TemporaryDirectory(prefix="admit-one-", ignore_cleanup_errors=True)
    room = Path(place.name)
    furnish(room, files)
    wires = Wires.lay()
    control, ledger, output = wires.inner_fds
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "grader.runner", str(control), str(ledger)],
            cwd=room,
            env=child_environment(room, path=os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(control, ledger),
            start_new_session=True,
        )
    except OSError as problem:
        wires.close_outer()
        place.cleanup()
        raise CouldNotLaunch(f"the grading process did not start: {problem}") from problem
    finally:
        wires.close_inner()

    def end(went_well: bool) -> None:
        _kill_tree(process)
        place.cleanup()

    return Child(
        wires.control,
        wires.ledger,
        wires.output,
        excess=lambda bounds: _memory_excess(process.pid, bounds),
        is_cut_off=lambda: False,
        end=end,
    )


def child_environment(room: Path, *, path: str) -> dict[str, str]:
    """Nothing of the instructor's environment but what an interpreter needs."""
    return {
        "PATH": path,
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


def too_much_memory(used: int, bounds: Bounds) -> str:
    """In words, or "" where ``used`` bytes are within the bound."""
    return f"it used more than {bounds.memory >> 20} MiB of memory" if used > bounds.memory else ""


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL the child, its process group, and every descendant that left the group."""
    family = _family(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()


def _memory_excess(pid: int, bounds: Bounds) -> str:
    used = 0
    for member in _family(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            used += member.memory_info().rss
    return too_much_memory(used, bounds)


def _family(pid: int) -> list[psutil.Process]:
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
