"""Chooses how children are launched: in sandboxes, or, for code that is trusted, without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.launch import Furniture, Launch, launch_process, refuse_windows
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
        refuse_windows()  # here, before a whole class is recorded as not gradable
        yield launch_process
