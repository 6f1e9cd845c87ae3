"""The bounds of one notebook's run, all in one place (spec 4, sandbox)."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class Bounds:
    """Time in seconds, sizes in bytes. ``cell_s`` covers all cases of a check together."""

    start_s: float = 30.0
    cell_s: float = 10.0
    notebook_s: float = 60.0
    cell_output: int = 1 * MIB
    notebook_output: int = 4 * MIB
    memory: int = 512 * MIB
    address_space: int = 1024 * MIB
    file_size: int = 16 * MIB
    open_files: int = 128
    processes: int = 64
