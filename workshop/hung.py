"""Lab 5's hung tool: a real one with its family, for student code to kill, and a look from outside at who is left."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from workshop.worker import Worker, hang, hung_family, is_alive, late_file, let_go, start_worker

PATIENCE_S = 1.0
LATE_S = 1.5
"""When a survivor writes its late file, counted from the call of kill_tree; only wrong solutions take that long."""

START_S = 5.0
"""How long the processes of a case may take to start."""


class FamilyNotStarted(Exception):
    """The machine did not start the processes of a case in time."""


@dataclass
class Seen:
    """Who is alive a second after the call, bystanders included, and whether a member wrote its late file."""

    survivors: list[str] = field(default_factory=list)
    wrote_late_file: bool = False


def ask_to_kill(
    kill_tree: Callable[[Worker], Any], family: Sequence[str], stubborn: Sequence[str], beside: Sequence[str] = ()
) -> Seen:
    """Call ``kill_tree`` with a hung worker; whoever is left after a second is ended here, so nothing stays behind.

    Those ``beside`` are a family of another worker, which is none of kill_tree's business.
    """
    with _folder() as folder, _folder() as elsewhere:
        worker = start_worker("reindex", hang(folder, family, stubborn=stubborn, late_s=LATE_S, held=True))
        others = [start_worker("reindex", hang(elsewhere, beside, late_s=LATE_S, held=True))] if beside else []
        processes = hung_family(folder, family, within_s=START_S)
        bystanders = hung_family(elsewhere, beside, within_s=START_S)
        seen = Seen()
        try:
            if len(processes) + len(bystanders) < len(family) + len(beside):
                raise FamilyNotStarted(f"only {[*processes, *bystanders]} of {[*family, *beside]} started")
            watcher = threading.Thread(target=_watch, args=(processes, folder, seen), daemon=True)
            let_go(folder)
            watcher.start()
            kill_tree(worker)
            watcher.join()
            seen.survivors += _alive(bystanders)
        finally:
            _end(processes)
            _end(bystanders)
            for started in (worker, *others):
                started.poll()
        return seen


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="admit-one-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def ended_worker() -> Worker:
    """A worker that did its work and was collected: its process is gone."""
    worker = start_worker("search", {})
    give_up = time.monotonic() + START_S
    while worker.poll() is None:
        if time.monotonic() > give_up:
            raise FamilyNotStarted("a worker did not end in time")
        time.sleep(0.005)
    return worker


def _watch(processes: dict[str, psutil.Process], folder: Path, seen: Seen) -> None:
    """Wait until all are gone or the second is over; give survivors time to do their late work, then end them.

    In a thread of its own: a kill_tree that waits for the worker would otherwise never come back.
    """
    patience = time.monotonic() + PATIENCE_S
    while _alive(processes) and time.monotonic() < patience:
        time.sleep(0.005)
    seen.survivors = _alive(processes)
    if seen.survivors:
        _wait_for_the_late_file(folder)
    seen.wrote_late_file = late_file(folder).exists()
    _end(processes)


def _wait_for_the_late_file(folder: Path) -> None:
    give_up = time.monotonic() + LATE_S
    while not late_file(folder).exists() and time.monotonic() < give_up:
        time.sleep(0.02)


def _alive(processes: dict[str, psutil.Process]) -> list[str]:
    return [part for part, process in processes.items() if is_alive(process)]


def _end(processes: dict[str, psutil.Process]) -> None:
    for process in processes.values():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
