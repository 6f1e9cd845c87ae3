"""Lab 2: the permit, the first-denial table, hosts, and plan_once before the real stub."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import openai
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import workshop
from stub_server import Stub, StubApp, SyncTransport
from stub_server.door import Door
from stub_server.room import Room
from tests.solved import solved_namespace
from tests.submissions import made_up
from workshop.budget import BudgetDenied
from workshop.lab import Lab
from workshop.permit import COUNTING_GATES, parse_json, split_url
from workshop.planning import Call, JoinedStreams, join_stream, planner_client, tool_runner

LAB = "lab2_fail_closed_permit"
QUESTION = [{"role": "user", "content": "What may be retried?"}]

FIRST_DENIALS = [
    ("lab.json", False, 3, "host_not_allowed"),
    ("lab.json", True, 3, "depth_cap"),
    ("invalid-host-allowed.json", False, 5, "per_tool_cap"),
    ("parallel-four.json", False, 1, "parallel_not_implemented"),
]
FIRST_TURNS = {
    "args-cut-off": "unparseable_tool_call",
    "args-empty": "unparseable_tool_call",
    "args-list": "unparseable_tool_call",
    "args-nan": "unparseable_tool_call",
    "args-not-json": "unparseable_tool_call",
    "args-null": "unparseable_tool_call",
    "args-twice": "unparseable_tool_call",
    "batch-of-eight": "parallel_not_implemented",
    "ignores-denials": "per_tool_cap",
    "injected": "admit",
    "interleaved": "parallel_not_implemented",
    "name-capital": "unknown_tool",
    "name-misspelt": "unknown_tool",
    "name-space": "unknown_tool",
    "order": "unknown_tool",
    "polite": "admit",
    "repair-loop": "host_not_allowed",
    "repeated-id": "parallel_not_implemented",
    "two-ids-one-index": "parallel_not_implemented",
}


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab.find(LAB)


@pytest.fixture(scope="module")
def solved() -> dict[str, Any]:
    return solved_namespace(LAB)


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    with Stub() as running:
        yield running


@pytest.fixture
def plan(solved: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """plan_once with a planner's script for its model."""

    def with_script(script: str, budget: Any, client: Any, **depth: int) -> Any:
        monkeypatch.setitem(solved, "MODEL", script)
        return solved["plan_once"](QUESTION, budget, client, **depth)

    return with_script


def printed_budget(lab: Lab, solved: dict[str, Any]) -> Any:
    return solved["Budget"](solved["load_permit"](lab.permits / "lab.json"))


def test_the_lab_is_worth_twenty_points_in_forty_one_minutes(lab: Lab) -> None:
    assert (lab.points, lab.minutes) == (20, 41)


def test_every_misconception_has_a_wrong_solution_that_shows_it(lab: Lab) -> None:
    assert {mutant.hint for mutant in made_up("mutants", LAB)} == set(lab.misconceptions)


@pytest.mark.parametrize(("permit", "by_step", "step", "reason"), FIRST_DENIALS)
def test_the_first_denial_is_the_one_of_the_table(
    lab: Lab, solved: dict[str, Any], permit: str, by_step: bool, step: int, reason: str
) -> None:
    budget = solved["Budget"](solved["load_permit"](lab.permits / permit))
    steps = lab.read_json("lab-fanout-01.json")["steps"]
    for position, asked in enumerate(steps[: step - 1], start=1):
        budget.admit(asked["tool"], asked["args"], depth=position if by_step else 1)
    denied = steps[step - 1]
    with pytest.raises(BudgetDenied, match=f"^{reason}$"):
        budget.admit(denied["tool"], denied["args"], depth=step if by_step else 1)


def test_every_released_permit_fits_the_schema_and_loads(lab: Lab, solved: dict[str, Any]) -> None:
    schema = Draft202012Validator(lab.read_permit("permit.schema.json"))
    for name in lab.permit_names:
        if not name.endswith(".schema.json"):
            assert schema.is_valid(lab.read_permit(name))
            assert solved["load_permit"](lab.permits / name) == lab.read_permit(name)


NO_COUNTS = st.one_of(
    st.none(), st.booleans(), st.text(max_size=5), st.floats(), st.integers(max_value=-1), st.just([]), st.just({})
)


@given(place=st.sampled_from(["max_total_calls", "max_depth", "max_parallel", "max_calls"]), value=NO_COUNTS)
def test_what_is_no_plain_integer_from_0_is_no_count(
    solved: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, place: str, value: Any
) -> None:
    counts = {"max_total_calls": 1, "max_depth": 1, "max_parallel": 1, "max_calls": 1, place: value}
    path = tmp_path_factory.getbasetemp() / "permit.json"
    path.write_text(json.dumps({**counts, "tools": {"search": {"max_calls": counts.pop("max_calls")}}}))
    with pytest.raises(BudgetDenied):
        solved["load_permit"](path)


URL_PIECES = st.lists(
    st.sampled_from(["https", "http", "ftp", ":", "//", "/", "@", "\\", "example.edu", "evil.example", ".", "?", "#"])
    | st.sampled_from(["EXAMPLE.edu", ":80", ":99999", "[::1]", "%2e", " ", "\t", "\u212a", "\uff0e", "user", "a"]),
    max_size=9,
).map("".join)


@example(url="https://example.edu:80[::1]/")
@example(url="https://[::1]example.edu/")
@given(url=URL_PIECES | URL_PIECES.map("https://example.edu".__add__) | URL_PIECES.map("https://".__add__))
def test_a_url_that_is_allowed_means_the_listed_host_to_other_readers_too(solved: dict[str, Any], url: str) -> None:
    if solved["host_is_allowed"](url, ["example.edu"]):
        assert urlsplit(url).hostname == httpx.URL(url).host == "example.edu"
        assert not {"\\", "@"} & set(url.partition("//")[2].partition("/")[0])


@given(url=st.text() | URL_PIECES | st.none() | st.integers() | st.binary() | st.lists(st.text(), max_size=1))
def test_the_splitter_and_the_host_rule_never_raise(solved: dict[str, Any], url: Any) -> None:
    split_url(url)
    assert solved["host_is_allowed"](url, []) is False


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(args=st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=4), less=st.integers(0, 1))
def test_arguments_pass_up_to_exactly_the_bytes_that_they_are(
    solved: dict[str, Any], args: dict[str, Any], less: int
) -> None:
    size = len(json.dumps(args, sort_keys=True).encode())
    entry = {"max_calls": 1, "max_args_bytes": size - less}
    budget = solved["Budget"]({"max_total_calls": 1, "max_depth": 1, "max_parallel": 1, "tools": {"search": entry}})
    if less:
        with pytest.raises(BudgetDenied, match="args_too_large"):
            budget.admit("search", args, depth=1)
    else:
        budget.admit("search", args, depth=1)


@pytest.mark.parametrize("text", ["{", '{"a": 1, "a": 1}', "NaN", '{"a": -Infinity}', "", None, {"a": 1}, '"\ud800"'])
def test_parse_json_refuses_what_has_no_meaning_or_two(text: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


def test_only_lab_2_is_released_with_the_counting_gates() -> None:
    released = Path(workshop.__file__).parent.parent / "notebooks"
    assert [path.parts[-3] for path in released.rglob(COUNTING_GATES)] == [LAB]


def test_count_denial_changes_nothing_and_charge_counts_one_call(lab: Lab, solved: dict[str, Any]) -> None:
    budget = printed_budget(lab, solved)
    assert [solved["count_denial"](budget, tool, 1) for tool in ("search", "mail", "shell")] == [
        None,
        "unknown_tool",
        "per_tool_cap",
    ]
    assert (budget.total_calls, budget.per_tool, budget.decisions) == (0, {}, [])
    solved["charge"](budget, "search", 2)
    assert (budget.total_calls, budget.per_tool, budget.depth) == (1, {"search": 1}, 2)
    assert budget.decisions == [{"tool": "search", "ok": True, "reason": "admit"}]
    with pytest.raises(BudgetDenied, match="per_tool_cap"):
        solved["charge"](budget, "shell", 1)


@pytest.mark.parametrize("script", FIRST_TURNS)
def test_before_the_real_stub_a_denied_call_makes_no_request_to_a_tool(
    lab: Lab, solved: dict[str, Any], plan: Any, stub: Stub, script: str
) -> None:
    budget = printed_budget(lab, solved)
    with planner_client(stub.base_url) as planner, stub.client() as tools:
        before = stub.log.posts("/tools/")
        with contextlib.suppress(BudgetDenied):
            for call in plan(script, budget, planner):
                tool_runner(tools)(call)
        ran = stub.log.posts("/tools/") - before
    assert {row["reason"] for row in budget.decisions} == {FIRST_TURNS[script]}
    assert ran == (FIRST_TURNS[script] == "admit")


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("script", ["polite", "args-list", "interleaved"])
def test_the_openai_client_sees_the_calls_that_the_plain_reply_and_the_joined_stream_hold(
    stub: Stub, script: str, is_streamed: bool
) -> None:
    request: dict[str, Any] = {"model": script, "messages": QUESTION}
    own: Any = stub.client()  # openai's newer versions name a type of their own
    with openai.OpenAI(base_url=stub.base_url, api_key="none", max_retries=0, http_client=own) as client:
        seen = client.chat.completions.create(**request).choices[0].message.tool_calls
    with planner_client(stub.base_url) as planner:
        ask = JoinedStreams(planner).post if is_streamed else planner.post
        message = ask("/chat/completions", json=request).json()["choices"][0]["message"]
    assert [call.model_dump() for call in seen] == message["tool_calls"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("polite", "admit"),
        ("interleaved", "parallel_not_implemented"),
        ("args-cut-off", "unparseable_tool_call"),
        ("two-ids-one-index", "unparseable_tool_call"),
        ("repeated-id", "unparseable_tool_call"),
    ],
)
def test_a_stream_is_joined_by_index_or_denied(
    lab: Lab, solved: dict[str, Any], plan: Any, script: str, reason: str
) -> None:
    budget = printed_budget(lab, solved)
    with httpx.Client(transport=SyncTransport(StubApp()), base_url="http://stub/v1") as planner:
        if reason == "admit":
            assert plan(script, budget, JoinedStreams(planner)) == [Call("call_1_1", "search", {"q": "retry"})]
        else:
            with pytest.raises(BudgetDenied, match=reason):
                plan(script, budget, JoinedStreams(planner))
    assert {row["reason"] for row in budget.decisions} == {reason}


def test_a_stream_that_never_ends_or_lacks_an_index_has_no_meaning() -> None:
    piece = {"id": "a", "function": {"name": "search", "arguments": "{}"}}
    for delta, finish_reason in (({**piece, "index": 0}, None), (piece, "tool_calls")):
        choice = {"index": 0, "delta": {"tool_calls": [delta]}, "finish_reason": finish_reason}
        joined = join_stream(f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n")
        assert joined["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == ""


def test_another_server_is_asked_with_the_key_and_limit_of_the_environment(
    lab: Lab, solved: dict[str, Any], plan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_API_KEY", "room-token-7")
    monkeypatch.setenv("LAB_TIMEOUT_SEC", "7.5")
    with Stub(room=Room(door=Door("room-token-7"))) as other, planner_client(other.base_url) as planner:
        assert planner.timeout == httpx.Timeout(7.5)
        assert [call.name for call in plan("polite", printed_budget(lab, solved), planner)] == ["search"]
        assert [row["path"] for row in other.log.rows] == ["/v1/chat/completions"]


def test_a_planner_that_never_answers_is_asked_once_and_left_in_time(
    lab: Lab, solved: dict[str, Any], plan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_TIMEOUT_SEC", "0.2")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(0.5)
        with planner_client(f"http://127.0.0.1:{silent.getsockname()[1]}/v1") as planner:
            with pytest.raises(httpx.ReadTimeout):
                plan("polite", printed_budget(lab, solved), planner)
            silent.accept()[0].close()
            with pytest.raises(TimeoutError):
                silent.accept()


@pytest.mark.parametrize(
    ("base_url", "is_by_proxy"), [("http://127.0.0.1:8088/v1", False), ("https://planner.example.edu/v1", True)]
)
def test_a_proxy_is_asked_for_a_planner_elsewhere_and_not_for_the_stub(
    monkeypatch: pytest.MonkeyPatch, base_url: str, is_by_proxy: bool
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nobody listens
    with planner_client(base_url) as planner:
        assert planner.trust_env is is_by_proxy


def test_a_busy_planner_is_asked_once(lab: Lab, solved: dict[str, Any], plan: Any) -> None:
    with Stub() as busy, planner_client(busy.base_url) as planner:
        busy.play("planner-busy")
        with pytest.raises(httpx.HTTPStatusError):
            plan("polite", printed_budget(lab, solved), planner)
        assert busy.log.total == 1


def test_an_admitted_page_that_redirects_is_not_followed() -> None:
    with Stub() as stub, stub.client(follow_redirects=True) as tools:
        stub.play("redirected")
        assert tool_runner(tools)(Call("a", "http_get", {"url": "https://example.edu/retry"})) == {}
        assert [row["status"] for row in stub.log.rows] == [302]
