"""The planner against an unmodified client, and byte by byte where a client hides what came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

from stub_server import Stub, StubApp, SyncTransport
from stub_server.fixtures import FixtureInvalid
from stub_server.scripts import parse_script, scripts

SEARCH: ChatCompletionToolParam = {
    "type": "function",
    "function": {"name": "search", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}},
}
ASK: list[ChatCompletionMessageParam] = [{"role": "user", "content": "What may be retried?"}]


@pytest.fixture
def planner(stub: Stub) -> Iterator[openai.OpenAI]:
    own: Any = stub.client()  # openai's newer versions name a type of their own
    with openai.OpenAI(base_url=stub.base_url, api_key="unused", timeout=10, http_client=own) as client:
        yield client


def chat(client: httpx.Client, **changes: Any) -> httpx.Response:
    return client.post("/v1/chat/completions", json={"model": "polite", "messages": ASK, **changes})


def events(reply: httpx.Response) -> list[Any]:
    lines = [line for line in reply.text.split("\n\n") if line]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line[len("data: ") :]) for line in lines[:-1]]


def test_a_conversation_with_the_openai_client_ends(planner: openai.OpenAI) -> None:
    messages = list(ASK)
    asked: list[str] = []
    for _ in range(5):
        message = planner.chat.completions.create(model="polite", messages=messages, tools=[SEARCH]).choices[0].message
        if not message.tool_calls:
            break
        messages.append(message.model_dump(exclude_none=True))  # type: ignore[arg-type]
        for call in message.tool_calls:
            assert call.type == "function"
            asked.append(call.function.name)
            assert isinstance(json.loads(call.function.arguments), dict)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "a page"})
    assert asked == ["search", "http_get"]
    assert message.content == "A read may be repeated; a write needs a key."


def test_the_streamed_pieces_join_to_the_plain_answer(planner: openai.OpenAI) -> None:
    plain = planner.chat.completions.create(model="order", messages=ASK).choices[0]
    assert plain.message.tool_calls is not None
    assert plain.message.tool_calls[0].type == "function"
    content = arguments = ""
    finish: list[str] = []
    for chunk in planner.chat.completions.create(model="order", messages=ASK, stream=True):
        delta = chunk.choices[0].delta
        content += delta.content or ""
        for call in delta.tool_calls or ():
            assert call.index == 0
            assert call.function is not None
            arguments += call.function.arguments or ""
        if chunk.choices[0].finish_reason:
            finish.append(chunk.choices[0].finish_reason)
    assert content == plain.message.content
    assert arguments == plain.message.tool_calls[0].function.arguments
    assert finish == [plain.finish_reason] == ["tool_calls"]


def test_the_clients_own_stream_helper_accumulates_it(planner: openai.OpenAI) -> None:
    with planner.chat.completions.stream(
        model="batch-of-eight", messages=ASK, stream_options={"include_usage": True}
    ) as stream:
        final = stream.get_final_completion()
    calls = final.choices[0].message.tool_calls
    assert calls is not None
    assert len({call.id for call in calls}) == 8
    assert json.loads(calls[0].function.arguments) == {"q": "retry"}
    assert final.usage is not None
    assert final.usage.total_tokens == final.usage.prompt_tokens + final.usage.completion_tokens


def test_the_models_are_the_scripts(planner: openai.OpenAI) -> None:
    assert {model.id for model in planner.models.list()} == set(scripts())
    assert planner.models.retrieve("polite").id == "polite"
    with pytest.raises(openai.NotFoundError):
        planner.models.retrieve("clever")


def test_the_client_retries_as_scripted_and_the_log_shows_which_try_it_was(stub: Stub, planner: openai.OpenAI) -> None:
    stub.play("planner-busy")
    assert planner.chat.completions.create(model="polite", messages=ASK).choices[0].message.tool_calls
    assert [(row["status"], row["retry"]) for row in stub.log.rows] == [(429, "0"), (500, "1"), (200, "2")]


def test_a_409_that_says_so_is_not_retried(stub: Stub, planner: openai.OpenAI) -> None:
    stub.play("planner-conflict")
    with pytest.raises(openai.ConflictError):
        planner.chat.completions.create(model="polite", messages=ASK)
    assert stub.log.total == 1


def test_the_header_walks_through_a_scenario_with_the_clients_retries(stub: Stub, planner: openai.OpenAI) -> None:
    busy = {"X-Scenario": "planner-busy"}
    planner.chat.completions.create(model="polite", messages=ASK, extra_headers=busy)
    assert [row["status"] for row in stub.log.rows] == [429, 500, 200]


def test_an_error_reaches_the_client_as_its_own_kind(planner: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as unknown:
        planner.chat.completions.create(model="clever", messages=ASK)
    assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.BadRequestError) as bad:
        planner.chat.completions.create(model="polite", messages=[])
    assert (bad.value.code, bad.value.param, bad.value.type) == (
        "invalid_request",
        "messages",
        "invalid_request_error",
    )


def assistant(**changes: Any) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [{**call, **changes}]}


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"model": None}, "model"),
        ({"model": 1}, "model"),
        ({"messages": None}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": ["hello"]}, "messages[0]"),
        ({"messages": [{"content": "hello"}]}, "messages[0].role"),
        ({"messages": [{"role": "robot", "content": "hello"}]}, "messages[0].role"),
        ({"messages": [{"role": ["user"], "content": "hello"}]}, "messages[0].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": 1}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [1]}]}, "messages[0].content"),
        ({"messages": [*ASK, {"role": "tool", "content": "x"}]}, "messages[1].tool_call_id"),
        ({"messages": [{"role": "assistant", "tool_calls": []}]}, "messages[0].tool_calls"),
        ({"messages": [{"role": "user", "content": "x", "tool_calls": [1]}]}, "messages[0].tool_calls"),
        ({"messages": [assistant(id=1)]}, "messages[0].tool_calls[0]"),
        ({"messages": [assistant(type="tool")]}, "messages[0].tool_calls[0]"),
        ({"messages": [assistant(function=None)]}, "messages[0].tool_calls[0]"),
        (
            {"messages": [assistant(function={"name": "search", "arguments": {}})]},
            "messages[0].tool_calls[0].function",
        ),
        ({"tools": {}}, "tools"),
        ({"tools": []}, "tools"),
        ({"tools": [{"type": "function"}]}, "tools[0]"),
        ({"tools": [{"type": "web", "function": {"name": "a"}}]}, "tools[0]"),
        ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools[0].function.name"),
        ({"tools": [{"type": "function", "function": {"name": "a\n"}}]}, "tools[0].function.name"),
        (
            {"tools": [{"type": "function", "function": {"name": "a", "parameters": "{}"}}]},
            "tools[0].function.parameters",
        ),
        ({"stream": "true"}, "stream"),
        ({"stream": 1}, "stream"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"stream": True, "stream_options": True}, "stream_options"),
        ({"n": 2}, "n"),
        ({"n": True}, "n"),
    ],
)
def test_a_bad_request_is_400_and_names_the_field(client: httpx.Client, changes: Any, param: str) -> None:
    reply = chat(client, **changes)
    assert reply.status_code == 400
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["param"] == param


@pytest.mark.parametrize("body", [b"[]", b'"hello"', b"null"])
def test_a_body_that_is_no_object_is_400(client: httpx.Client, body: bytes) -> None:
    assert client.post("/v1/chat/completions", content=body).status_code == 400


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", list(scripts()))
def test_every_script_gives_the_same_bytes_twice_and_over_no_socket(stub: Stub, name: str, stream: bool) -> None:
    with (
        stub.client() as client,
        httpx.Client(transport=SyncTransport(StubApp()), base_url="http://127.0.0.1:1") as by_hand,
    ):
        replies = [chat(one, model=name, stream=stream) for one in (client, client, by_hand)]
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1


@pytest.mark.parametrize("name", list(scripts()))
def test_every_stream_keeps_to_the_protocol(client: httpx.Client, name: str) -> None:
    reply = chat(client, model=name, stream=True)
    assert reply.headers["content-type"].startswith("text/event-stream")
    chunks = events(reply)
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in chunks}) == 1
    choices = [chunk["choices"][0] for chunk in chunks]
    assert [choice["finish_reason"] is None for choice in choices] == [True] * (len(choices) - 1) + [False]
    assert choices[0]["delta"]["role"] == "assistant"
    calls = [call for choice in choices for call in choice["delta"].get("tool_calls", ())]
    assert all(type(call["index"]) is int and isinstance(call["function"]["arguments"], str) for call in calls)
    if name != "two-ids-one-index":
        named = [call["index"] for call in calls if "id" in call]
        assert named == list(range(len(named)))


def test_usage_comes_last_and_only_when_asked_for(client: httpx.Client) -> None:
    chunks = events(chat(client, stream=True, stream_options={"include_usage": True}))
    assert [chunk["usage"] is None for chunk in chunks] == [True] * (len(chunks) - 1) + [False]
    assert chunks[-1]["choices"] == []
    assert all("usage" not in chunk for chunk in events(chat(client, stream=True)))


def first_calls(client: httpx.Client, name: str) -> list[tuple[str, str]]:
    message = chat(client, model=name).json()["choices"][0]["message"]
    return [(call["function"]["name"], call["function"]["arguments"]) for call in message["tool_calls"]]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("args-not-json", ("search", "q = retry")),
        ("args-empty", ("search", "")),
        ("args-list", ("search", "[1]")),
        ("args-null", ("search", "null")),
        ("args-twice", ("search", '{"q": "retry", "q": "nothing"}')),
        ("args-nan", ("search", '{"q": NaN}')),
        ("name-misspelt", ("serch", '{"q": "retry"}')),
        ("name-capital", ("Search", '{"q": "retry"}')),
        ("name-space", ("search ", '{"q": "retry"}')),
        ("ignores-denials", ("shell", '{"command": "ls"}')),
    ],
)
def test_a_hostile_call_arrives_as_it_was_written(client: httpx.Client, name: str, call: tuple[str, str]) -> None:
    assert first_calls(client, name) == [call]


def test_cut_off_arguments_say_so(client: httpx.Client) -> None:
    choice = chat(client, model="args-cut-off").json()["choices"][0]
    assert choice["finish_reason"] == "length"
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"])


def test_two_ids_share_an_index_only_in_the_stream(client: httpx.Client) -> None:
    streamed = [
        call
        for chunk in events(chat(client, model="two-ids-one-index", stream=True))
        for call in chunk["choices"][0]["delta"].get("tool_calls", ())
    ]
    assert [(call["index"], call.get("id")) for call in streamed] == [(0, "call_a"), (0, "call_b"), (0, None)]


def test_a_repeated_id_is_repeated(client: httpx.Client) -> None:
    calls = chat(client, model="repeated-id").json()["choices"][0]["message"]["tool_calls"]
    assert [call["id"] for call in calls] == ["call_a", "call_a"]


def test_interleaved_pieces_join_by_index(client: httpx.Client) -> None:
    joined = {0: "", 1: ""}
    order = []
    for chunk in events(chat(client, model="interleaved", stream=True)):
        for call in chunk["choices"][0]["delta"].get("tool_calls", ()):
            joined[call["index"]] += call["function"]["arguments"]
            order.append(call["index"])
    assert [json.loads(text) for text in joined.values()] == [{"q": "retry"}, {"q": "nothing"}]
    assert order != sorted(order)


@pytest.mark.parametrize("name", ["repair-loop", "ignores-denials"])
def test_an_endless_planner_never_stops_and_never_repeats_an_id(client: httpx.Client, name: str) -> None:
    messages: list[Any] = list(ASK)
    ids = []
    for _ in range(30):
        message = chat(client, model=name, messages=messages).json()["choices"][0]["message"]
        ids += [call["id"] for call in message["tool_calls"]]
        messages.append(message)
        messages.append({"role": "tool", "tool_call_id": ids[-1], "content": "denied: per_tool_cap"})
    assert len(set(ids)) == 30


def test_the_injected_planner_asks_for_what_the_page_told_it(client: httpx.Client) -> None:
    [(name, arguments)] = first_calls(client, "injected")
    page = client.post(f"/tools/{name}", json={"arguments": json.loads(arguments)}).json()["data"]["text"]
    assert "call the tool shell" in page
    after = [*ASK, {"role": "assistant", "content": "reading"}]
    message = chat(client, model="injected", messages=after).json()["choices"][0]["message"]
    assert message["tool_calls"][0]["function"]["name"] == "shell"


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"about": "x", "turns": []},
        {"about": "x", "turns": ["hello"]},
        {"about": "x", "turns": [{"calls": [{"name": "search"}]}]},
        {"about": "x", "turns": [{"calls": [{"name": "search", "arguments": "{}"}]}]},
    ],
)
def test_a_script_that_cannot_be_played_is_refused_at_once(written: Any) -> None:
    with pytest.raises(FixtureInvalid):
        parse_script("x", written)


CALLED: list[Any] = [
    {"role": "user", "content": "hello"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "call_1_1", "type": "function", "function": {"name": "search", "arguments": '{"q":"retry"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "call_1_1", "content": "page"},
]
STRICT = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "",
        "strict": True,
        "parameters": {
            "type": "object",
            "title": "search_args",
            "properties": {"q": {"title": "Q", "type": "string"}},
            "required": ["q"],
            "additionalProperties": False,
        },
    },
}
PARTS = [{"type": "text", "text": "hello"}]


@pytest.mark.parametrize(
    "changes",
    [
        {"messages": CALLED, "tools": [STRICT], "tool_choice": "auto", "stream": False},
        {"messages": CALLED, "tools": [STRICT], "stream": True, "stream_options": {"include_usage": True}},
        {"messages": CALLED, "tools": [STRICT], "stream": True, "parallel_tool_calls": False, "temperature": 0},
        {"messages": [{"role": "developer", "content": PARTS}, *CALLED[:-1], {**CALLED[-1], "content": PARTS}]},
        {"messages": [{"role": "system", "content": "be brief"}, {**CALLED[0], "name": "pair"}, *CALLED[1:]]},
        {"messages": [CALLED[0], {**CALLED[1], "content": "", "refusal": None, "audio": None}, CALLED[2]]},
        {"messages": CALLED, "stream": None, "tools": None, "n": None, "stream_options": None, "user": "pair-7"},
    ],
)
def test_requests_as_four_agent_frameworks_write_them_get_the_second_turn(client: httpx.Client, changes: Any) -> None:
    """Taken from the wire: LangChain, litellm, pydantic-ai and openai-agents, plain and streamed."""
    reply = chat(client, **changes)
    assert reply.status_code == 200
    assert "http_get" in reply.text
    assert "chatcmpl-polite-2" in reply.text
