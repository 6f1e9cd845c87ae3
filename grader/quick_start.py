"""Leaves out what takes long to import and nothing here uses."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any

_SLOWEST = "rfc3987_syntax"
_SLOW = (_SLOWEST, "isoduration", "rfc3986_validator")
"""jsonschema loads them where they are installed, as they are beside JupyterLab, for formats that no notebook has."""
_one_at_a_time = threading.Lock()
_NOT_YET = {
    **{
        f"nbgrader.server_extensions.{name}": ("load_jupyter_server_extension",)  # which load the Jupyter server
        for name in ("assignment_list", "course_list", "formgrader", "validate_assignment")
    },
    "setuptools.archive_util": ("unpack_archive", "unpack_tarfile", "unpack_zipfile"),  # for its own zip_collect
    "requests": (),  # for its own exchange on a JupyterHub
}
"""Modules that nbgrader imports at once, each with the functions that it takes out of it there and then."""


def leave_out_slow_imports() -> None:
    """Call it before anything imports jsonschema or nbformat: some of what they load counts as not installed."""
    for name in _SLOW:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]


def leave_out_slowest_import() -> None:
    """The same, where student code runs: it takes a second to load, and the others a student may miss."""
    sys.modules.setdefault(_SLOWEST, None)  # type: ignore[arg-type]


def import_nbgrader() -> None:
    """Import nbgrader without the Jupyter server, setuptools and requests, which it loads and a command hardly needs.

    They are imported when they are called, if they ever are in this process.
    """
    with _one_at_a_time:
        if "nbgrader" in sys.modules:
            return
        stand_ins = {name: _stand_in(name, taken) for name, taken in _NOT_YET.items() if name not in sys.modules}
        sys.modules.update(stand_ins)
        try:
            importlib.import_module("nbgrader.api")
        finally:
            for name in stand_ins:
                del sys.modules[name]


def _stand_in(name: str, functions: Sequence[str]) -> ModuleType:
    module = ModuleType(name)
    for function in functions:
        setattr(module, function, partial(_call, name, function))

    def find(attribute: str) -> Any:
        real = importlib.import_module(name)
        if real is module:  # while it stands in there is no other
            raise AttributeError(attribute)
        return getattr(real, attribute)

    module.__getattr__ = find  # type: ignore[method-assign]
    return module


def _call(name: str, function: str, *arguments: Any, **named: Any) -> Any:
    return getattr(importlib.import_module(name), function)(*arguments, **named)
