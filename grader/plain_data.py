"""Reads frozen dataclasses back from plain JSON data, and refuses what has not exactly their shape."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

_hints = cache(get_type_hints)


class AnotherShape(ValueError):
    """The data is not of the type asked for; the message says where it first differs."""


def read_plain(kind: Any, raw: Any) -> Any:
    """``raw``, as JSON has it, as a ``kind``: a plain type, a dataclass, a tuple or dict of such, or None beside one.

    A dataclass is an object with its fields and no others, a tuple is a list, and ``true`` is no number. Raises
    AnotherShape.
    """
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        if not isinstance(raw, dict) or raw.keys() != hints.keys():
            raise AnotherShape(f"not the fields of {kind.__name__}")
        return kind(**{name: read_plain(hint, raw[name]) for name, hint in hints.items()})
    origin, parts = get_origin(kind), get_args(kind)
    if origin is UnionType:
        one, none = parts
        return None if raw is None and none is type(None) else read_plain(one, raw)
    if origin is tuple and isinstance(raw, list) and (parts[-1] is ... or len(parts) == len(raw)):
        kinds = parts[:1] * len(raw) if parts[-1] is ... else parts
        return tuple(read_plain(part, item) for part, item in zip(kinds, raw, strict=True))
    if origin is dict and isinstance(raw, dict):
        return {key: read_plain(parts[1], item) for key, item in raw.items()}
    if type(raw) is not kind:
        raise AnotherShape(f"{type(raw).__name__} in the place of {kind}")
    return raw
