"""Judges an answer from outside: JSON text with strict types against what a case accepts (spec 4, rules 1 and 2)."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import workshop
from grader.bounds import MAX_REPLY_BYTES, MAX_REPLY_PARTS
from grader.cases import Case
from stub_server.strict_json import BadJson, parse

_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
_ORDER = re.compile(r"\$order(\d+)")
NOT_FILLED_IN = "not filled in yet"


@dataclass(frozen=True)
class Answer:
    """What came of one case.

    ``kind`` is ``value`` (``value`` holds the JSON), ``raised`` (``detail`` the exception's type and, in a notebook,
    its message), ``not_json``, ``too_long`` or ``silent`` (no reply: ``detail`` says why). ``order_ids`` are those the
    ledger issued.
    """

    kind: str
    value: Any = None
    detail: str = ""
    order_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseVerdict:
    """One case, judged. ``problem`` is empty where all is right, "differs" for another answer, else words for a reader.

    ``got`` and ``expected`` stay empty for a hidden case: its values never leave the judge. In both, order ids read as
    if the ledger had started at ``lab-1``, so that feedback is the same every time.
    """

    case: Case
    is_right: bool
    problem: str
    got: Any = None
    expected: tuple[Any, ...] = ()
    has_answer: bool = True


def read_reply(kind: str, text: str, order_ids: tuple[str, ...]) -> Answer:
    """What a driver sent, as an Answer: the text of a value is parsed strictly, whatever process it came from."""
    if kind == "value":
        try:
            value = parse(text.encode("utf-8"), max_bytes=MAX_REPLY_BYTES, max_parts=MAX_REPLY_PARTS)
        except BadJson as bad:
            return Answer("too_long" if bad.reason == "too_large" else "not_json", order_ids=order_ids)
        except UnicodeEncodeError:
            return Answer("not_json", order_ids=order_ids)
        return Answer("value", value, order_ids=order_ids)
    return Answer(kind, detail=text, order_ids=order_ids)


def judge(case: Case, answer: Answer) -> CaseVerdict:
    """Hold ``answer`` against ``case``: no evidence, no points."""
    accepted = [_with_order_ids(value, answer.order_ids) for value in case.accepted]
    problem = _problem(case, answer, accepted)
    if case.is_hidden:
        return CaseVerdict(case, not problem, problem, has_answer=answer.kind == "value")
    got = _renamed(answer.value, {order_id: f"lab-{place}" for place, order_id in enumerate(answer.order_ids, start=1)})
    expected = tuple(_in_texts(value, lambda text: _ORDER.sub(r"lab-\1", text)) for value in case.accepted)
    return CaseVerdict(case, not problem, problem, got, expected, answer.kind == "value")


def _problem(case: Case, answer: Answer, accepted: Sequence[Any]) -> str:
    if answer.kind == "raised":
        if answer.detail.startswith("NotImplementedError"):  # what the stub of a cell to fill in raises
            return NOT_FILLED_IN
        return f"raised {_type_only(answer.detail) if case.is_hidden else answer.detail}"
    if answer.kind == "not_json":
        return "a value that is not JSON"
    if answer.kind == "too_long":
        return "a value far longer than any right one"
    if answer.kind != "value":
        return answer.detail or "no answer"
    if not any(is_same(answer.value, value) for value in accepted):
        return "differs"
    effects = len(answer.order_ids)
    if case.effects is not None and effects != case.effects:
        if case.is_hidden:  # how many there were, and should be, is part of the question and of the answer
            return "the right answer, but another number of side effects than there should be"
        noun = "side effect" if effects == 1 else "side effects"
        return f"the right answer, but {effects} {noun} on the ledger instead of {case.effects}"
    return ""


def _type_only(detail: str) -> str:
    """Of what a hidden case raised, a known type's name: the text comes from the child and could carry an input."""
    kind = getattr(builtins, detail, None)
    is_known = (isinstance(kind, type) and issubclass(kind, BaseException)) or detail in _names_of_the_kit()
    return detail if is_known else "an exception of its own"


@cache
def _names_of_the_kit() -> frozenset[str]:
    """What the classes of the labs' props are called: as the sources have it, for a new lab adds its own there."""
    sources = Path(workshop.__file__).parent.glob("*.py")
    return frozenset(name for path in sources for name in _CLASS.findall(path.read_text(encoding="utf-8")))


def is_same(left: Any, right: Any) -> bool:
    """Equality of JSON values by type: true is not 1, 2.0 is not 2. Key order does not matter."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    return bool(left == right)


def _with_order_ids(value: Any, order_ids: Sequence[str]) -> Any:
    """Put the ids that the ledger issued in this case where the table says $order1, $order2 and so on."""
    return _renamed(value, {f"$order{place}": order_id for place, order_id in enumerate(order_ids, start=1)})


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """``value`` with each key of ``names`` replaced in its texts."""

    def renamed(text: str) -> str:
        for name in sorted(names, key=len, reverse=True):  # $order12 before $order1
            text = text.replace(name, names[name])
        return text

    return _in_texts(value, renamed)


def _in_texts(value: Any, change: Callable[[str], str]) -> Any:
    """``value`` with its texts changed, at any depth; the keys of objects stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _in_texts(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_in_texts(item, change) for item in value]
    return value
