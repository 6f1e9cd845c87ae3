"""How work that takes a while tells where it is: the type that all of it shares."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many are done and how many there are."""
