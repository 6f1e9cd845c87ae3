"""Loading a student's `decide` from a file, for a server that runs as a process."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from stub_server.errors import Mendable
from stub_server.write_once import Decide


class DecideFileError(Mendable):
    """Raised when a file does not give a function to mount. The message is one line that says why."""


def load_decide(path: Path) -> Decide:
    """The function `decide` that a Python file defines. The file is run, as an import would run it.

    Raises:
        DecideFileError: no such file, not Python, it raises, or it defines no function of that name.
    """
    if not path.is_file():
        raise DecideFileError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location("student_decide", path)
    if spec is None or spec.loader is None:
        raise DecideFileError(f"{path}: the name of a Python file ends in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise DecideFileError(f"{path}: {type(error).__name__}: {error}") from error
    decide = getattr(module, "decide", None)
    if not callable(decide):
        raise DecideFileError(f"{path}: it defines no function `decide(payload, store)`")
    function: Decide = decide
    return function
