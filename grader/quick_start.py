"""Leaves out what takes long to import and nothing here uses."""

from __future__ import annotations

import importlib
import sys
import threading
from functools import partial
from types import ModuleType

_SLOW = "rfc3987_syntax"
"""jsonschema loads it where it is installed, as it is beside JupyterLab, for one optional format."""
_one_at_a_time = threading.Lock()
_SERVER_EXTENSIONS = ("assignment_list", "course_list", "formgrader", "validate_assignment")


def leave_out_slow_parser() -> None:
    """Call it before anything imports jsonschema or nbformat; in their place it counts as not installed."""
    sys.modules.setdefault(_SLOW, None)  # type: ignore[arg-type]


def import_nbgrader() -> None:
    """Import nbgrader without the Jupyter server, which its four server extensions load and a command never needs.

    They are imported when a server asks for them, if one ever does in this process.
    """
    with _one_at_a_time:
        if "nbgrader" in sys.modules:
            return
        names = [f"nbgrader.server_extensions.{name}" for name in _SERVER_EXTENSIONS]
        for name in names:
            stand_in = ModuleType(name)
            stand_in.load_jupyter_server_extension = partial(_load_extension, name)  # type: ignore[attr-defined]
            sys.modules[name] = stand_in
        try:
            importlib.import_module("nbgrader.api")
        finally:
            for name in names:
                del sys.modules[name]


def _load_extension(name: str, app: object) -> None:
    importlib.import_module(name).load_jupyter_server_extension(app)
