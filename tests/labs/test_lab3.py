"""Lab 3's rules, held against the solved notebook: limits, the table, the loop, and the counts of a real server."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from itertools import product, repeat
from typing import Any

import httpx
import pytest

from grader.cases import hidden_cases, public_cases
from grader.drive import drive
from grader.drivers import World
from grader.judge import judge, read_reply
from grader.made_up import MadeUp, solution_cells
from stub_server.ledger import Ledger
from stub_server.serve import Stub
from tests.solved import ROOT, solved_namespace
from tests.submissions import groups_lost, judged_here, made_up, released_notebook
from workshop.lab import Lab
from workshop.layers import HttpTools, ask_through_layers, send_until_answered
from workshop.limits import BYTES_HINT, ROWS_HINT, STRICT_LIMITS
from workshop.quiz import Quiz
from workshop.retry import Loop, LoopRanAway, Outcome, Policy, Rules, TimedTools, WantedCall
from workshop.trainer import RetryTrainer

LAB = Lab.find("lab3_retry_table")

TABLE = {
    "timeout": ({"retry", "backoff"}, {"poll", "hand_off"}, {"retry_same_key", "poll"}),
    "rate_limited": ({"backoff"}, {"poll", "hand_off"}, {"backoff_same_key"}),
    "invalid_args": ({"stop"}, {"stop"}, {"stop"}),
    "denied": ({"stop"}, {"stop"}, {"stop"}),
    "not_found": ({"stop"}, {"stop"}, {"stop"}),
    "internal_error": ({"retry_once", "stop"}, {"poll"}, {"retry_same_key"}),
}
COLUMNS = {"read": ("read", False), "without_key": ("write", False), "with_key": ("write", True)}
REFUND = {"order_id": "order-17", "amount_cents": 500}


@pytest.fixture(scope="module")
def solved() -> dict[str, Any]:
    return solved_namespace(LAB.id)


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as stub:
        yield stub


@pytest.fixture
def client(stub: Stub) -> Iterator[httpx.Client]:
    with stub.client() as client:
        yield client


def rules_of(solved: dict[str, Any]) -> Rules:
    return Rules(*(solved[name] for name in ("decide", "next_delay", "must_stop", "key_for_try")))


def run_over_http(solved: dict[str, Any], client: httpx.Client, call: WantedCall) -> Outcome:
    return Loop(HttpTools(client, solved["observe"]), rules_of(solved), Policy()).run([call])[0]


def test_each_limit_itself_is_allowed_and_one_more_is_not(solved: dict[str, Any]) -> None:
    observe = solved["observe"]
    assert observe(200, {}, STRICT_LIMITS)["ok"]
    assert observe(201, {}, STRICT_LIMITS) == {"ok": False, "error": "timeout"}
    assert observe(0, "a" * 38, STRICT_LIMITS)["ok"]
    assert observe(0, "a" * 39, STRICT_LIMITS)["size"] == 41
    assert observe(0, [1] * 10, STRICT_LIMITS)["ok"]
    assert observe(0, [1] * 11, STRICT_LIMITS)["rows"] == 11


def test_a_timeout_wins_over_bytes_and_bytes_win_over_rows(solved: dict[str, Any]) -> None:
    observe = solved["observe"]
    assert observe(201, ["a long row"] * 12, {}) == {"ok": False, "error": "timeout"}
    assert observe(200, ["a long row"] * 12, {})["hint"] == BYTES_HINT
    assert observe(200, [1] * 12, {})["hint"] == ROWS_HINT


@pytest.mark.parametrize("letter", ["a", "é", "日", "🙂"])
@pytest.mark.parametrize("before", ["", "x", "xy", "xyz"])
def test_a_preview_is_the_longest_start_of_whole_characters(solved: dict[str, Any], letter: str, before: str) -> None:
    data = before + letter * 60
    whole = json.dumps(data, ensure_ascii=False)
    preview = solved["observe"](0, data, {})["truncated"]
    one_more = whole[: len(preview) + 1]
    assert whole.startswith(preview)
    assert len(preview.encode()) <= 40 < len(one_more.encode())


@pytest.mark.parametrize(("error", "column"), list(product(TABLE, COLUMNS)))
def test_the_solution_stays_inside_the_table(solved: dict[str, Any], error: str, column: str) -> None:
    cell = TABLE[error][list(COLUMNS).index(column)]
    assert solved["decide"](error, *COLUMNS[column]) in cell


def test_a_write_that_was_surely_not_applied_may_be_sent_again(solved: dict[str, Any]) -> None:
    assert solved["decide"]("rate_limited", "write", False, nothing_applied=True) == "backoff"


def test_the_trainer_knows_the_table_and_no_more_than_the_public_cases() -> None:
    holds = RetryTrainer(LAB).holds
    assert {error: tuple(set(cells[column]) for column in COLUMNS) for error, cells in holds.items()} == TABLE
    public = {
        (asked["error"], asked["effect"], asked["has_key"])
        for case in public_cases(LAB)["lab3.decide"]
        for asked in case.input["asks"]
    }
    assert {(error, *COLUMNS[column]) for error, cells in holds.items() for column in cells} <= public


def test_the_trainer_has_a_reason_for_every_cell_and_words_for_every_action() -> None:
    trainer = RetryTrainer(LAB)
    assert all({"ask", *COLUMNS} == set(words) for words in trainer.rows.values())
    assert {action for cells in TABLE.values() for cell in cells for action in cell} == set(trainer.actions)
    for column, against in trainer.against.items():
        held = {action for cells in trainer.holds.values() for action in cells[column]}
        assert not held & set(against), "what holds somewhere in a column has a reason by its row"


def test_the_questions_carry_no_key() -> None:
    questions = Quiz(LAB.read_json("quiz.json")).questions
    assert all(set(question) == {"id", "text", "options"} for question in questions)
    answered = [case.input["questions"] for case in hidden_cases(LAB, ROOT / "solutions")["lab3.quiz"]]
    assert [[question["id"]] for question in questions] == answered


def test_the_public_quiz_check_passes_for_wrong_answers_too(solved: dict[str, Any]) -> None:
    wrong = {question["id"]: "a" for question in LAB.read_json("quiz.json")}
    for case in public_cases(LAB)["lab3.quiz"]:
        told = drive("lab3.quiz", [wrong], case.input, World(Ledger(), Lab.find("lab3")), tell_message=True)
        assert judge(case, read_reply(told.kind, told.text, ())).is_right


@pytest.mark.parametrize(("tries", "posts"), [((3, 3, 3), 27), ((1, 3, 1), 3)])
def test_three_layers_make_27_posts_and_one_owner_3(
    stub: Stub, client: httpx.Client, tries: tuple[int, int, int], posts: int
) -> None:
    stub.play("always-down")
    http_client, dispatcher, model = tries

    def get_job() -> bool:
        return client.post("/tools/get_job", json={"arguments": {"job_id": "job-1"}}).is_success

    assert not ask_through_layers(get_job, http_client=http_client, dispatcher=dispatcher, model=model)
    assert stub.log.posts("/tools/get_job") == posts


@pytest.mark.parametrize(("key", "refunds"), [({}, 2), ({"idempotency_key": "refund-of-order-17"}, 1)])
def test_a_lost_answer_charges_twice_without_a_key_and_once_with_it(
    stub: Stub, client: httpx.Client, key: dict[str, str], refunds: int
) -> None:
    stub.play("refund-drops")
    assert send_until_answered(client, "refund", {**REFUND, **key}) == 2
    assert stub.ledger.count == refunds


def test_the_loop_retries_with_the_same_key_and_charges_once(
    solved: dict[str, Any], stub: Stub, client: httpx.Client
) -> None:
    stub.play("refund-drops")
    outcome = run_over_http(solved, client, WantedCall("refund-of-order-17", "refund", "write", REFUND, takes_key=True))
    assert (outcome.end, outcome.tries, len(set(outcome.keys))) == ("ok", 2, 1)
    assert stub.ledger.count == 1


def test_the_loop_does_not_repeat_a_write_without_a_key(
    solved: dict[str, Any], stub: Stub, client: httpx.Client
) -> None:
    stub.play("refund-drops")
    outcome = run_over_http(solved, client, WantedCall("refund-of-order-17", "refund", "write", REFUND))
    assert (outcome.end, outcome.tries) == ("timeout, poll: in_doubt", 1)
    assert stub.ledger.count == 1


def test_a_poll_by_key_says_that_a_lost_refund_was_applied(stub: Stub, client: httpx.Client) -> None:
    stub.play("refund-drops")
    call = WantedCall("refund-of-order-17", "refund", "write", REFUND, takes_key=True)
    tools = HttpTools(client, lambda *_: {"ok": False, "error": "timeout"})
    tools.start(call, call.intent, 200)
    assert tools.poll(call, call.intent) == "applied"
    assert tools.poll(call, "another-intent") == "never_seen"


def test_an_abandoned_write_is_a_timeout_and_has_landed(
    solved: dict[str, Any], stub: Stub, client: httpx.Client
) -> None:
    stub.play("refund-times-out")
    call = WantedCall("refund-of-order-17", "refund", "write", REFUND, takes_key=True)
    took_ms, seen = HttpTools(client, solved["observe"], patience_s=0.5).start(call, call.intent, 200)
    assert (took_ms, seen) == (200, {"ok": False, "error": "timeout"})
    assert stub.ledger.count == 1


def test_a_server_that_was_never_reached_leaves_nothing_in_doubt(solved: dict[str, Any]) -> None:
    with Stub() as gone:
        client = gone.client()
    call = WantedCall("refund-of-order-17", "refund", "write", REFUND, takes_key=True)
    with client, pytest.raises(httpx.ConnectError):
        HttpTools(client, solved["observe"]).start(call, call.intent, 200)


def test_a_pause_longer_than_the_budget_is_not_slept(solved: dict[str, Any], stub: Stub, client: httpx.Client) -> None:
    stub.play("rate-limited")
    outcome = run_over_http(solved, client, WantedCall("find-retry", "search", "read", {"q": "retry"}))
    assert (outcome.end, outcome.tries, outcome.at_ms) == ("budget_exceeded", 1, 0)


def test_five_reads_exhaust_the_batch_and_the_sixth_never_starts_and_nobody_waits(
    solved: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    loop = Loop(TimedTools(repeat(199), None, solved["observe"], STRICT_LIMITS), rules_of(solved), Policy())
    outcomes = loop.run([WantedCall(f"job-{number}", "get_job", "read") for number in range(6)])
    assert [outcome.end for outcome in outcomes] == ["ok"] * 4 + ["budget_exceeded"] * 2
    assert [outcome.tries for outcome in outcomes] == [1] * 5 + [0]
    assert (loop.tools_started, loop.now_ms) == (5, 800)
    assert slept == []


def test_a_loop_that_nothing_stops_ends_with_a_sentence(solved: dict[str, Any]) -> None:
    rules = Rules(lambda *_, **__: "retry", lambda *_: 0, lambda *_: None, lambda call, _: call.intent)
    loop = Loop(TimedTools(repeat(900), None, solved["observe"], STRICT_LIMITS), rules, Policy(budget_ms=10**9))
    with pytest.raises(LoopRanAway, match="nothing in your rules stops the loop"):
        loop.run([WantedCall("job-1", "get_job", "read")])


def test_delays_are_described_alike_for_every_seed(solved: dict[str, Any]) -> None:
    cases = (*public_cases(LAB)["lab3.next_delay"], *hidden_cases(LAB, ROOT / "solutions")["lab3.next_delay"])
    draw = [
        solved["next_delay"],
        *(solved_namespace(LAB.id, student.cells)["next_delay"] for student in right_delays()),
    ]
    for case, next_delay, seed in product(cases, draw, range(10)):
        told = drive(
            "lab3.next_delay",
            [next_delay],
            {**case.input, "seed": seed},
            World(Ledger(), Lab.find("lab3")),
            tell_message=True,
        )
        assert judge(case, read_reply(told.kind, told.text, ())).is_right, (case.id, seed)


def right_delays() -> list[MadeUp]:
    return [student for student in made_up("variants", LAB.id) if "next-delay" in student.cells]


def test_the_delay_comes_from_the_given_rng(solved: dict[str, Any]) -> None:
    random.seed(1)
    first = solved["next_delay"](3, Policy(), random.Random(7))
    assert solved["next_delay"](3, Policy(), random.Random(7)) == first


def test_untouched_every_point_is_lost() -> None:
    cells = solution_cells(released_notebook(LAB.id))
    # The dict of empty letters stands, as after a run of the cell; its last line would end this test's namespace.
    cells["answers"] = cells["answers"].replace("raise NotImplementedError", "")
    assert groups_lost(judged_here(LAB.id, MadeUp("untouched", cells, (), None))) == {
        group.id for check in LAB.checks for group in check.groups
    }


def test_every_misconception_has_a_wrong_solution_named_after_it() -> None:
    names = {student.name for student in made_up("mutants", LAB.id)}
    assert set(LAB.misconceptions) <= names
    assert {student.hint for student in made_up("mutants", LAB.id)} == set(LAB.misconceptions)
