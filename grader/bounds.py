"""The bounds of one notebook's run, all in one place (spec 4, sandbox)."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024
MAX_REPLY_BYTES = 256 * 1024
"""The longest answer to one case (spec 4, rule 2)."""
MAX_REPLY_PARTS = 20_000
"""JSON objects, lists and commas in it: reading one takes the grader a hundred times as long as its byte."""


@dataclass(frozen=True)
class Bounds:
    """Time in seconds, sizes in bytes. ``cell_s`` covers all cases of a check together.

    ``disk`` is shared out over the sandbox's three writable folders; ``files`` counts what lies in them. ``sockets``
    bounds what the kernel holds between sender and receiver, in the memory of no process. ``effects``
    bounds how often one notebook can ask the ledger, and so what it remembers. When a notebook has run for
    ``unshared_s``, all of it is kept to one processor.
    """

    start_s: float = 30.0
    unshared_s: float = 1.0
    cell_s: float = 10.0
    notebook_s: float = 60.0
    cell_output: int = 1 * MIB
    notebook_output: int = 4 * MIB
    memory: int = 512 * MIB
    address_space: int = 1024 * MIB
    disk: int = 16 * MIB
    files: int = 4096
    open_files: int = 128
    processes: int = 64
    sockets: int = 256
    effects: int = 10_000
