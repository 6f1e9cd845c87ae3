"""Leaves out a package that takes a second to import and that nothing here uses."""

from __future__ import annotations

import sys

_SLOW = "rfc3987_syntax"
"""jsonschema loads it where it is installed, as it is beside JupyterLab, for one optional format."""


def leave_out_slow_parser() -> None:
    """Call it before anything imports jsonschema or nbformat; in their place it counts as not installed."""
    sys.modules.setdefault(_SLOW, None)  # type: ignore[arg-type]
