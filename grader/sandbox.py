"""Runs student code in bubblewrap sandboxes that are kept from one notebook to the next (spec 4, sandbox).

``with sandboxes(repository) as launch`` gives a launcher (grader.launch): each call hands out a running child in a
sandbox that nobody else uses at the time. A sandbox's first process (grader.zygote) forks that child, and afterwards
kills and wipes everything. Where anything is left, or a run ended badly, the sandbox is thrown away.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from grader.bounds import Bounds
from grader.launch import Child, CouldNotLaunch, Furniture, Launch
from grader.sandbox_trouble import OWN_RISK, SandboxEnded, SandboxUnavailable, find_bwrap
from grader.sandbox_view import RepositoryWouldShow, View, current_view

if TYPE_CHECKING:
    from grader.sandbox_kept import Sandbox


@contextlib.contextmanager
def sandboxes(secret: Path, first: Furniture | None = None) -> Iterator[Launch]:
    """A launcher that any thread may call; it keeps as many sandboxes as were in use at a time.

    It starts one at once, which looks at itself, and so raises SandboxUnavailable, with the remedy, where this machine
    gives none. That one waits for the first notebook if ``first`` says what its room holds; else it is ended.
    ``secret`` is the repository: no part of it may show. Close every child before leaving: with the launcher, its
    sandboxes end.
    """
    find_bwrap()
    from grader.sandbox_kept import start_sandbox  # which only Linux can import

    view = _view_without(secret)
    # bubblewrap dies with the thread that started it, so that thread must last as long as the sandboxes.
    with ThreadPoolExecutor(1, thread_name_prefix="sandbox-starter") as starter:
        start = functools.partial(start_sandbox, view, bounds=Bounds(), starter=starter)
        sandbox = start(first or {})
        # Two sets: wiping cannot reach all that the kernel remembers of a sandbox (closed sockets, counters), so one
        # that a hidden input was in never serves a pass whose output is shown.
        shown, silent = _Kept(start), _Kept(start)
        try:
            if first:
                shown.keep(sandbox)
            else:
                sandbox.stop()
            yield lambda files, is_hidden: (silent if is_hidden else shown).launch(files)
        finally:
            shown.stop()
            silent.stop()


def probe(secret: Path) -> None:
    """Start the very sandbox that grading uses and let it look at itself; raises SandboxUnavailable."""
    with sandboxes(secret):
        pass


class _Kept:
    """Sandboxes that wait for the next notebook, each with one lab's files."""

    def __init__(self, start: Callable[[Furniture], Sandbox]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._idle: list[Sandbox] = []
        self._is_open = True

    def launch(self, files: Furniture) -> Child:
        """A child in a sandbox whose /room holds ``files``; raises CouldNotLaunch."""
        for take in (self._take, self._start):  # a kept sandbox may have come to harm: then a new one
            sandbox = take(files)
            try:
                return sandbox.fork(self._give_back)
            except SandboxEnded as ended:
                sandbox.stop()
                problem = ended
        raise CouldNotLaunch(f"a new sandbox ended at once: {problem}") from problem

    def keep(self, sandbox: Sandbox) -> None:
        """Let the next notebook have it; once the set is closed it is ended instead."""
        with self._lock:
            if self._is_open:
                self._idle.append(sandbox)
                return
        sandbox.stop()

    def stop(self) -> None:
        with self._lock:
            self._is_open = False
        for sandbox in self._idle:
            sandbox.stop()

    def _take(self, files: Furniture) -> Sandbox:
        with self._lock:
            fitting = next((one for one in reversed(self._idle) if one.files == files), None)
            taken = fitting or (self._idle[0] if self._idle else None)
            if taken:
                self._idle.remove(taken)
        if fitting:
            return fitting
        if taken:  # another lab's: one for this lab takes its place
            taken.stop()
        return self._start(files)

    def _give_back(self, sandbox: Sandbox, went_well: bool) -> None:
        if went_well and sandbox.wipe():
            self.keep(sandbox)
        else:
            sandbox.stop()


def _view_without(secret: Path) -> View:
    view = current_view()
    try:
        view.refuse_to_show(secret)
    except RepositoryWouldShow as shows:
        raise SandboxUnavailable(f"no sandbox: {shows}, {OWN_RISK}") from shows
    return view
