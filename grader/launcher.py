"""Chooses how children are launched: in sandboxes, or, for code that is trusted, without."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.launch import CouldNotLaunch, Furniture, Launch, launch_process
from grader.sandbox import sandboxes


@contextmanager
def open_launcher(
    root: Path, *, sandbox: bool, first: Furniture | None = None, workers: int | None = None
) -> Iterator[Launch]:
    """A launcher for any number of notebooks: sandboxed, or, for code that is trusted, plain child processes.

    ``first`` is what the room of the first notebook holds, ``workers`` how many are graded at a time; both only save
    time (grader.sandbox.sandboxes).
    Raises SandboxUnavailable, with the remedy, where a sandbox is wanted and this machine gives none.
    """
    if sandbox:
        with sandboxes(root, first=first, workers=workers) as launch:
            yield launch
    else:
        if sys.platform == "win32":  # no inherited sockets, no process groups
            raise CouldNotLaunch("Windows cannot grade: run the same command in WSL2, on Linux or on macOS")
        yield launch_process
