"""Lets names mean something else while a case runs, and puts back what they meant before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_NOTHING = object()


@contextmanager
def stand_ins(*replaced: tuple[dict[str, Any], Mapping[str, Any]]) -> Iterator[None]:
    """In each namespace, give the names the objects named with it; a name that was not there goes away again."""
    before = [(names, name, names.get(name, _NOTHING)) for names, given in replaced for name in given]
    for names, given in replaced:
        names.update(given)
    try:
        yield
    finally:
        for names, name, value in reversed(before):
            if value is _NOTHING:
                names.pop(name, None)
            else:
                names[name] = value
