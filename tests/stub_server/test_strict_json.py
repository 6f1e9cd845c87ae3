"""Strict JSON: each way that bytes could mean two things has a name."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stub_server.strict_json import BadJson, parse

LIMIT = 64 * 1024


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"{} {}", "not_json"),
        (b"[1,]", "not_json"),
        (b"[01]", "not_json"),
        (b"'a'", "not_json"),
        (b'"\x01"', "not_json"),
        (b'"\xff"', "not_utf8"),
        (b'"\xed\xa0\x80"', "not_utf8"),
        (b"\xef\xbb\xbf{}", "not_json"),
        ("{}".encode("utf-16"), "not_utf8"),
        (b"NaN", "not_a_number"),
        (b"[Infinity]", "not_a_number"),
        (b'{"a": -Infinity}', "not_a_number"),
        (b"1e999", "not_a_number"),
        (b"-1e999", "not_a_number"),
        (b"9" * 5000, "number_too_long"),
        (b"-" + b"9" * 5000, "number_too_long"),
        (b"0." + b"9" * 5000, "number_too_long"),
        (b'{"a": 1, "a": 1}', "duplicate_key"),
        (b'{"a": 1, "\\u0061": 2}', "duplicate_key"),
        (b'[{"b": {"a": 1, "a": 1}}]', "duplicate_key"),
        (b'"\\ud800"', "surrogate"),
        (b'"\\udc00\\ud800"', "surrogate"),
        (b'{"\\uDFFF": 1}', "surrogate"),
        (b"[" * 33 + b"]" * 33, "too_deep"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "too_deep"),
        (b"[" * 60000, "too_deep"),
        (b'"' + b"a" * LIMIT + b'"', "too_large"),
    ],
)
def test_it_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(BadJson) as raised:
        parse(data, max_bytes=LIMIT)
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b' {"a": [1, 2.5, true, null]}\n', {"a": [1, 2.5, True, None]}),
        (b"[" * 32 + b"]" * 32, json.loads("[" * 32 + "]" * 32)),
        (b'"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["', "[" * 36),
        (b'["\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["]', ['"' + "[" * 36]),
        (b"[" + b",".join([b"[]"] * 100) + b"]", [[]] * 100),
        (b'"\\ud83d\\ude00"', "\N{GRINNING FACE}"),
        (b'"\\\\ud800"', "\\ud800"),
        (b"9" * 1000, int("9" * 1000)),
        (b'{"a": {"a": 1}}', {"a": {"a": 1}}),
    ],
)
def test_it_is_accepted(data: bytes, value: object) -> None:
    assert parse(data, max_bytes=LIMIT) == value


def test_the_limits_are_the_callers() -> None:
    assert parse(b"[[1]]", max_bytes=5, max_depth=2) == [[1]]
    with pytest.raises(BadJson, match="6 bytes, where 5 are allowed"):
        parse(b"[[1 ]]", max_bytes=5)
    with pytest.raises(BadJson, match="deeper than 1"):
        parse(b"[[1]]", max_bytes=5, max_depth=1)
    assert parse(b'[",,,,[",1]', max_bytes=LIMIT, max_parts=2) == [",,,,[", 1]
    with pytest.raises(BadJson, match="more than 2 parts"):
        parse(b'[",",{"a":1},2]', max_bytes=LIMIT, max_parts=2)


@pytest.mark.parametrize("piece", [b'"', b'\\"', b'"[', b'["\\', b'{"a":', b"\\u", b"[]", b'"\n\\'])
def test_no_input_is_much_work(piece: bytes) -> None:
    data = b"[" * 40 + piece * (LIMIT // len(piece) - 40)
    began = time.thread_time()
    with pytest.raises(BadJson):
        parse(data, max_bytes=LIMIT)
    assert time.thread_time() - began < 1  # of this thread's own work: a busy machine is no fault


@settings(deadline=None)  # a busy machine is no fault
@given(st.binary(max_size=200) | st.text(alphabet='[]{}",:\\u0dDe8n1 \n', max_size=120).map(str.encode))
def test_any_bytes_give_a_value_or_bad_json(data: bytes) -> None:
    try:
        value = parse(data, max_bytes=150)
    except BadJson:
        return
    again = json.dumps(value, allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert parse(again, max_bytes=10_000) == value


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)  # a busy machine is no fault
@given(json_values)
def test_what_json_writes_is_read_back_the_same(value: object) -> None:
    assert repr(parse(json.dumps(value).encode(), max_bytes=LIMIT)) == repr(value)
