"""Strict parsing of JSON that somebody else wrote: one meaning or none."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Literal, NoReturn

MAX_DEPTH = 32
MAX_NUMBER_CHARS = 1000

_OPENING = re.compile(rb"[\[{]")
# A string that never ends is taken to the end of the input, so that each byte is looked at once.
_STRING_OR_SIGN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")

BadJsonReason = Literal[
    "too_large",
    "not_utf8",
    "not_json",
    "too_deep",
    "duplicate_key",
    "not_a_number",
    "number_too_long",
    "surrogate",
]


class BadJson(ValueError):
    """Raised for bytes that are not JSON, or that two readers could understand differently.

    Attributes:
        reason: one word for a program; the message is one sentence for a person.
    """

    def __init__(self, reason: BadJsonReason, message: str) -> None:
        super().__init__(message)
        self.reason: BadJsonReason = reason


def parse(data: bytes, *, max_bytes: int, max_depth: int = MAX_DEPTH, max_parts: int | None = None) -> Any:
    """The value that the bytes spell (spec 3, "Limits, and what bad input gets").

    Refused, beyond what is not JSON at all: not UTF-8 (a byte order mark too), NaN and Infinity however
    they are spelt (`1e999` is one), an object that names a key twice, nesting past `max_depth`, a number
    of more than 1,000 characters, half of a surrogate pair.

    Args:
        data: the whole text.
        max_bytes: the most it may hold, in bytes.
        max_depth: the most arrays and objects inside one another; `[]` is 1.
        max_parts: the most arrays, objects, and commas in them: reading one costs a hundred times its byte.

    Raises:
        BadJson: for all of it. Nothing else is raised, whatever the bytes.
    """
    if len(data) > max_bytes:
        raise BadJson("too_large", f"{len(data)} bytes, where {max_bytes} are allowed")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJson("not_utf8", f"not UTF-8 at byte {error.start}") from None
    if max_parts is not None and _parts_exceed(data, max_parts):
        raise BadJson("too_large", f"more than {max_parts} parts")
    if _depth_exceeds(data, max_depth):
        raise BadJson("too_deep", f"nested deeper than {max_depth}")
    try:
        value = _DECODER.decode(text)
    except BadJson:
        raise
    except (ValueError, RecursionError) as error:
        raise BadJson("not_json", f"not JSON: {error}") from None
    if _SURROGATE_ESCAPE.search(data):
        _refuse_lone_surrogates(value)
    return value


def _parts_exceed(data: bytes, limit: int) -> bool:
    """Whether there are more outside strings; no more of them are looked at."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") <= limit:
        return False
    parts = 0
    for match in _STRING_OR_SIGN.finditer(data):
        parts += data[match.start()] in b"[{,"
        if parts > limit:
            return True
    return False


def _depth_exceeds(data: bytes, limit: int) -> bool:
    """Whether brackets outside strings nest deeper, found before a recursive parser sees them."""
    if len(_OPENING.findall(data)) <= limit:
        return False
    depth = 0
    for match in _STRING_OR_SIGN.finditer(data):
        first = data[match.start()]
        if first in b"[{":
            depth += 1
            if depth > limit:
                return True
        elif first in b"]}":
            depth -= 1
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise BadJson("duplicate_key", "an object names a key twice")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise BadJson("not_a_number", f"{name} is not JSON")


def _finite(literal: str) -> float:
    _refuse_long(literal)
    value = float(literal)
    if not math.isfinite(value):
        raise BadJson("not_a_number", "a number too large to hold")
    return value


def _short_int(literal: str) -> int:
    _refuse_long(literal)
    return int(literal)


def _refuse_long(literal: str) -> None:
    if len(literal) > MAX_NUMBER_CHARS:
        raise BadJson("number_too_long", f"a number of {len(literal)} characters, {MAX_NUMBER_CHARS} are allowed")


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise BadJson("surrogate", "half of a surrogate pair") from None


# Made once: json.loads makes a new decoder for each call that has hooks, which takes as long as the decoding.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_short_int
)
