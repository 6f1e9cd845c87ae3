"""Runs student code in bubblewrap sandboxes that are kept from one notebook to the next (spec 4, sandbox).

``with sandboxes(repository) as launch`` gives a launcher (grader.launch): each call hands out a running child in a
sandbox that nobody else uses at the time. A sandbox's first process (grader.zygote) forks that child, and afterwards
kills and wipes everything. Where anything is left, or a run ended badly, the sandbox is thrown away.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from grader.bounds import Bounds
from grader.launch import Child, CouldNotLaunch, Furniture, Launch
from grader.sandbox_trouble import OWN_RISK, SandboxEnded, SandboxUnavailable, find_bwrap
from grader.sandbox_view import RepositoryWouldShow, View, current_view
from stub_server.fixtures import FOLDER

if TYPE_CHECKING:
    from grader.sandbox_kept import Sandbox

_PATIENCE_S = 0.3
"""How long a notebook waits for a sandbox in use before it gets one more; a notebook's pass takes a tenth of that."""


@contextlib.contextmanager
def sandboxes(secret: Path, *, first: Furniture | None = None, workers: int | None = None) -> Iterator[Launch]:
    """A launcher that any thread may call; it keeps as many sandboxes as were in use at a time.

    With ``workers``, how many notebooks are graded at a time, it keeps about so many: starting one takes the time of
    several notebooks, and while one notebook is in its first pass another can be in its second.

    It starts one at once, which looks at itself, and so raises SandboxUnavailable, with the remedy, where this machine
    gives none. That one is ended again, unless ``first`` says what the first notebook's room holds: then there are two
    at once, one for each of its passes.
    ``secret`` is the repository: no part of it may show. With the launcher its sandboxes end: who has a child left
    hears that it is cut off.
    """
    find_bwrap()
    from grader.sandbox_kept import start_sandbox  # which only Linux can import

    view = _view_without(secret)
    # bubblewrap dies with the thread that started it, so that thread must last as long as the sandboxes.
    with ThreadPoolExecutor(1, thread_name_prefix="sandbox-starter") as starter:
        start = functools.partial(start_sandbox, view, bounds=Bounds(), starter=starter)
        # Two sets: wiping cannot reach all that the kernel remembers of a sandbox (closed sockets, counters), so one
        # that a hidden input was in never serves a pass whose output is shown.
        enough = sys.maxsize if workers is None else (workers + 1) // 2
        shown, silent = _Kept(start, enough), _Kept(start, enough)
        try:
            if first:
                _start_both(first, shown, silent)
            else:
                start({}).stop()
            yield lambda files, is_hidden: (silent if is_hidden else shown).launch(files)
        finally:
            try:
                shown.stop()
            finally:
                silent.stop()


def probe(secret: Path) -> None:
    """Start the very sandbox that grading uses and let it look at itself; raises SandboxUnavailable."""
    with sandboxes(secret):
        pass


def _start_both(files: Furniture, *sets: _Kept) -> None:
    """Side by side: most of the time that it takes is Python's start in the sandbox."""
    with ThreadPoolExecutor(len(sets)) as pool:
        for done in [pool.submit(one.start_ahead, files) for one in sets]:
            done.result()


class _Kept:
    """Sandboxes that wait for the next notebook, each with one lab's files.

    There are not more than ``enough``, unless all of them are kept busy for long: a notebook may hang.
    """

    def __init__(self, start: Callable[[Furniture], Sandbox], enough: int) -> None:
        self._start = start
        self._enough = enough
        self._changed = threading.Condition()
        self._idle: list[Sandbox] = []
        self._busy: list[Sandbox] = []
        self._there = 0
        self._is_open = True

    def launch(self, files: Furniture) -> Child:
        """A child in a sandbox whose /room holds ``files``; raises CouldNotLaunch."""
        for take in (self._take, self._start_one):  # a kept sandbox may have come to harm: then a new one
            sandbox = take(files)
            self._note_busy(sandbox)
            try:
                return sandbox.fork(self._give_back)
            except BaseException as ended:
                self._no_longer_busy(sandbox)
                sandbox.stop()
                if not isinstance(ended, SandboxEnded):
                    self._one_less()
                    raise
                problem = ended
        self._one_less()
        raise CouldNotLaunch(f"a new sandbox ended at once: {problem}") from problem

    def start_ahead(self, files: Furniture) -> None:
        """Have a sandbox ready for the next notebook."""
        with self._changed:
            self._there += 1
        self._keep(self._start_one(files))

    def stop(self) -> None:
        """End all of them; those in use too, where a run is broken off."""
        with self._changed:
            self._is_open = False
            idle, self._idle = self._idle, []
            for sandbox in self._busy:
                sandbox.kill()
            self._changed.notify_all()
        for sandbox in idle:
            sandbox.stop()

    def _note_busy(self, sandbox: Sandbox) -> None:
        with self._changed:
            if self._is_open:
                self._busy.append(sandbox)
                return
        sandbox.stop()
        self._refuse_when_closed()

    def _refuse_when_closed(self) -> None:
        if not self._is_open:
            raise CouldNotLaunch("the run has ended")

    def _no_longer_busy(self, sandbox: Sandbox) -> None:
        with self._changed:
            self._busy.remove(sandbox)

    def _take(self, files: Furniture) -> Sandbox:
        until = time.monotonic() + _PATIENCE_S
        with self._changed:
            while self._is_open and not self._idle and self._there >= self._enough:
                if (left := until - time.monotonic()) <= 0:
                    break
                self._changed.wait(left)
            self._refuse_when_closed()
            fitting = next((one for one in reversed(self._idle) if one.files == files), None)
            taken = fitting or (self._idle[0] if self._idle else None)
            if taken:
                self._idle.remove(taken)
            else:
                self._there += 1
        if fitting:
            return fitting
        if taken:  # another lab's: one for this lab takes its place
            taken.stop()
        return self._start_one(files)

    def _start_one(self, files: Furniture) -> Sandbox:
        try:
            self._refuse_when_closed()
            return self._start(files)
        except BaseException:
            self._one_less()
            raise

    def _give_back(self, sandbox: Sandbox, went_well: bool) -> None:
        self._no_longer_busy(sandbox)
        if went_well and sandbox.wipe():
            self._keep(sandbox)
        else:
            sandbox.stop()
            self._one_less()

    def _keep(self, sandbox: Sandbox) -> None:
        with self._changed:
            if self._is_open:
                self._idle.append(sandbox)
                self._changed.notify()
                return
        sandbox.stop()

    def _one_less(self) -> None:
        with self._changed:
            self._there -= 1
            self._changed.notify()


def _view_without(secret: Path) -> View:
    if not FOLDER.is_dir():
        raise SandboxUnavailable("no sandbox: the kit is installed without fixtures/; pip install -e . from a checkout")
    view = current_view()
    try:
        view.refuse_to_show(secret)
    except RepositoryWouldShow as shows:
        raise SandboxUnavailable(f"no sandbox: {shows}, {OWN_RISK}") from shows
    return view
