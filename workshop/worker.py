"""Starts a tool as a real process in a group of its own, and says which processes of a hung one are still alive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

PROGRAM = Path(__file__).with_name("worker_program.py")
MAX_READ = 1024 * 1024
"""The most bytes of a result that are read at all."""

if sys.platform == "win32":  # it has no sessions: a group of its own is the nearest thing
    _NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _NEW_GROUP = 0

# A tool gets no key or token that happens to be in this process's environment.
_ENVIRONMENT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")


class Worker:
    """A running tool. On Linux and macOS its process group has the number ``pid``, and it is in a session of its own.

    What it prints goes to a file, so that a tool that prints much does not wait for a reader.
    """

    def __init__(self, tool: str, args: dict[str, Any]) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the worker
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(PROGRAM), tool, json.dumps(args)],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            start_new_session=True,
            creationflags=_NEW_GROUP,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        """None while it runs, then its exit code."""
        return self._process.poll()

    def read(self) -> bytes:
        """What it has printed so far, at most MAX_READ bytes."""
        self._output.seek(0)
        return self._output.read(MAX_READ)


def start_worker(tool: str, args: dict[str, Any]) -> Worker:
    """Start ``tool`` with ``args`` (plain JSON): a program of worker_program.py, never a function of the notebook."""
    return Worker(tool, args)


def hang(
    folder: Path, family: Sequence[str], *, stubborn: Sequence[str] = (), late_s: float, held: bool = False
) -> dict[str, Any]:
    """The arguments of the tool ``reindex`` that make it hang.

    Each of ``family`` starts the next one; those in ``stubborn`` ignore SIGTERM. Who is alive after ``late_s`` seconds
    writes the late file of ``folder``, where each process also leaves its pid. The seconds count from each one's
    start, or, where they are ``held``, from ``let_go``.
    """
    return {
        "folder": str(folder),
        "family": list(family),
        "stubborn": list(stubborn),
        "late_s": late_s,
        "held": held,
    }


def let_go(folder: Path) -> None:
    """Let the seconds of a held family start to count."""
    (folder / "go").touch()


def hung_family(folder: Path, family: Sequence[str], *, within_s: float = 5.0) -> dict[str, psutil.Process]:
    """The processes of a hung tool by their part, once all have started; those that never did are missing."""
    give_up = time.monotonic() + within_s
    found: dict[str, psutil.Process] = {}
    while len(found) < len(family) and time.monotonic() < give_up:
        for part in [part for part in family if part not in found]:
            try:
                found[part] = psutil.Process(int((folder / f"{part}.pid").read_text()))
            except (OSError, ValueError, psutil.NoSuchProcess):
                time.sleep(0.005)
    return {part: found[part] for part in family if part in found}


def late_file(folder: Path) -> Path:
    return folder / "late.txt"


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs. One that is dead and not yet collected by its parent does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
