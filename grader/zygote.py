"""The first process of a kept sandbox: loads once what notebooks need, forks a child a notebook, then wipes it all.

Started as ``python -m grader.zygote CONTROL_FD DRIVERS``. It runs no student code itself, but shares a user with it:
so it is not dumpable (no ptrace, no look at its memory), and as the first process of its namespace no signal from
inside reaches it. When its control socket closes it ends, and with it everything in the namespace.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import io
import json
import os
import resource
import shutil
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader import runner
from grader.bounds import Bounds
from grader.quick_start import leave_out_slowest_import
from workshop.lab import Lab

WRITABLE = (Path("/tmp"), Path("/dev/shm"), Path("/room"))
FORK, FORKED, WIPE = b"fork", b"forked", b"wipe"
_FIRST_CELLS = ("pass", "raise Exception")
"""Cells of no lab: a shell does much when it runs its first one, and when it tells its first error."""
_PR_SET_DUMPABLE = 4
_SYSTEM_V = ("shm", "sem", "msg")


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _set_dumpable(False)
    faults = examine()
    lab = None
    if not faults:  # or it would be the host's folders that are emptied
        lab = _load(sys.argv[2:])
        wipe()
    control.send(json.dumps(faults).encode())
    at_start = _own_state()
    while True:
        request, fds, _, _ = socket.recv_fds(control, 16, 3)
        if request == FORK:
            control.send(_fork(control, fds, lab))
        elif request == WIPE:
            _kill_everybody()
            control.send(json.dumps([*wipe(), *_changes(at_start)]).encode())
        else:
            os._exit(0)


def examine() -> list[str]:
    """What of the sandbox does not hold, in words: looked at on every start, before any student code."""
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    rights = [name for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb") if int(status[name], 16)]
    faults = [f"it keeps the rights {name}" for name in rights]
    if 0 in (os.getuid(), os.geteuid(), os.getgid()):
        faults.append("it runs as root")
    if status["NoNewPrivs"] != "1":
        faults.append("a set-uid program could give it rights")
    if status["Seccomp"] != "2":
        faults.append("system calls are not filtered")
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        faults.append("it has a network")
    if os.getpid() != 1:
        faults.append("it sees other processes")
    shown = ("/", "/dev", "/kit", "/room/data", "/usr/lib")
    return faults + [f"{folder} can be written to" for folder in shown if os.access(folder, os.W_OK)]


def _load(drivers: list[str]) -> Lab | None:
    """Do now what every child would do again: imports, the shell and its first cell, the lab in the room, if any."""
    if not drivers:
        return None
    leave_out_slowest_import()
    for module in ("grader.check", *(f"grader.drivers.{name}" for name in drivers)):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    shell = runner.make_shell()
    with contextlib.redirect_stdout(io.StringIO()):
        for source in _FIRST_CELLS:
            shell.run_cell(source, store_history=False)
    lab = runner.read_room()
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, every page
    return lab


def _fork(control: socket.socket, fds: list[int], lab: Lab | None) -> bytes:
    try:
        child = os.fork()
    except OSError as problem:
        return f"fork: {problem}".encode()
    if child == 0:
        try:
            assert lab is not None
            _be_the_runner(control, lab, *fds)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(9)
    for fd in fds:
        os.close(fd)
    return FORKED


def _be_the_runner(control: socket.socket, lab: Lab, notebook_control: int, ledger: int, output: int) -> None:
    """In the child: keep the notebook's three descriptors and nothing of the first process's."""
    control.close()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    _set_dumpable(True)
    bounds = Bounds()
    resource.setrlimit(resource.RLIMIT_NPROC, (bounds.processes, bounds.processes))
    runner.serve(notebook_control, ledger, bounds, lab)


def _kill_everybody() -> None:
    """As the first process this is the parent of every orphan: without a child left, the namespace is empty."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def wipe() -> list[str]:
    """Empty the writable folders; what is still there afterwards, in words."""
    for folder in WRITABLE:
        for path in _strangers(folder):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    path.unlink()
    left = [f"files in {folder}" for folder in WRITABLE if any(_strangers(folder))]
    processes = [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]
    left += ["a process"] if processes else []
    return left + [f"System V {kind}" for kind in _SYSTEM_V if _lines(f"/proc/sysvipc/{kind}") > 1]


def _strangers(folder: Path) -> Iterator[Path]:
    """What a notebook put into ``folder``: the lab's files in the room are mounts."""
    return (path for path in folder.iterdir() if not os.path.ismount(path))


def _lines(path: str) -> int:
    try:
        return len(Path(path).read_text().splitlines())
    except FileNotFoundError:  # a kernel without System V IPC
        return 0


def _own_state() -> dict[str, Any]:
    """What a process of the same user can change about this one, and the next child would inherit."""
    limits = {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")}
    return {
        **limits,
        "nice value": os.getpriority(os.PRIO_PROCESS, 0),
        "processors": os.sched_getaffinity(0),
        "scheduling": os.sched_getscheduler(0),
    }


def _changes(at_start: dict[str, Any]) -> list[str]:
    now = _own_state()
    return [f"another {name}" for name, value in at_start.items() if now[name] != value]


def _set_dumpable(is_dumpable: bool) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, int(is_dumpable), 0, 0, 0)


if __name__ == "__main__":
    main()
