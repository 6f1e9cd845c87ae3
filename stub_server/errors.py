"""The base of every fault that its reader can mend."""

from __future__ import annotations


class Mendable(Exception):
    """The message says what was wrong, where, and what to do; a command prints it as its one line."""
