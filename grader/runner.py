"""Runs inside the grading child: cells in an IPython shell, and one case at a time through its driver.

Started as ``python -m grader.runner CONTROL_FD LEDGER_FD``. It knows no expected value, and nothing it sends is a
verdict: the other end parses its replies as untrusted JSON (spec 4, rules 1 and 3).
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from grader.bounds import Bounds
from grader.channel import BlockingChannel
from grader.drive import describe, drive
from grader.drivers import World, find_driver
from workshop.lab import Lab, read_lab

_dumps, _loads = json.dumps, json.loads


class RemoteLedger:
    """The ledger as student code meets it: the count is kept at the other end of the wire."""

    def __init__(self, channel: BlockingChannel) -> None:
        self._channel = channel
        self._lock = threading.Lock()

    def apply(self, key: str, sku: str, qty: int) -> str:
        return str(self._ask({"apply": [key, sku, qty]}))

    @property
    def count(self) -> int:
        return int(self._ask({"count": True}))

    def _ask(self, request: dict[str, Any]) -> Any:
        with self._lock:
            self._channel.send(_dumps(request).encode())
            return _loads(self._channel.receive())


def limit_this_process(bounds: Bounds) -> None:
    """Set the kernel's limits on this process and what it starts; Windows has none of them."""
    if sys.platform == "win32":
        return
    import resource

    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: bounds.disk,
        resource.RLIMIT_NOFILE: bounds.open_files,
        resource.RLIMIT_CPU: int(bounds.notebook_s) + 10,
    }
    if sys.platform == "linux":  # macOS does not hold RLIMIT_AS
        wanted[resource.RLIMIT_AS] = bounds.address_space
    for kind, value in wanted.items():
        resource.setrlimit(kind, (value, value))


def make_shell() -> Any:
    """An IPython shell without history or colour: cells behave as in Jupyter, without a kernel."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    return InteractiveShell.instance(config=config)


def answer_cell(shell: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Run one cell; an error is told as type, message and the student's own line."""
    result = shell.run_cell(request["source"], store_history=False, silent=False)
    error = result.error_before_exec or result.error_in_exec
    if error is None:
        return {"error": None}
    return {"error": [type(error).__name__, describe(error)]}


def answer_case(shell: Any, request: dict[str, Any], world: World) -> dict[str, Any]:
    """Ask one case of the objects the grading cell names."""
    missing = [name for name in request["objects"] if name not in shell.user_ns]
    if missing:
        return {"kind": "raised", "text": f"NameError: {missing[0]} is not defined"}
    objects = [shell.user_ns[name] for name in request["objects"]]
    reply = drive(request["check"], objects, request["input"], world, tell_message=request["tell_message"])
    return {"kind": reply.kind, "text": reply.text}


def find_trouble(check_ids: Sequence[str]) -> str:
    """What keeps one of the checks from being asked here; asked before any student code runs."""
    for check_id in check_ids:
        try:
            find_driver(check_id)
        except Exception as fault:
            return f"{check_id}: {describe(fault)}"
    return ""


def read_room() -> Lab:
    """The lab whose files are in the current folder."""
    return read_lab(Path.cwd() / "data", Path.cwd() / "permits")


def serve(control_fd: int, ledger_fd: int, bounds: Bounds, lab: Lab) -> NoReturn:
    """Answer requests until the other end closes; nothing but this comes back to the caller's code.

    ``lab`` was read before any student code could change the folder.
    """
    control = BlockingChannel(socket.socket(fileno=control_fd))
    ledger = RemoteLedger(BlockingChannel(socket.socket(fileno=ledger_fd)))
    world = World(ledger, lab)
    limit_this_process(bounds)
    shell = make_shell()
    while True:
        try:
            request = _loads(control.receive())
        except EOFError:
            os._exit(0)
        if request["op"] == "cell":
            reply = answer_cell(shell, request)
        elif request["op"] == "case":
            reply = answer_case(shell, request, world)
        elif request["op"] == "ready":
            reply = {"trouble": find_trouble(request["checks"])}
        else:
            raise ValueError(f"no operation {request['op']!r}")
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # a student may have closed or replaced it
                continue
        fence = _dumps({"id": request["fence"]}).encode()
        control.send(_dumps({"id": request["id"], **reply}).encode(), fence)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]), Bounds(), read_room())
