"""Lab 5's rules: the article's dry run, real workers that are really killed, props that stay make-believe."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.cases import public_cases
from grader.drive import drive
from grader.drivers import World
from grader.made_up import MadeUp, solution_cells
from stub_server.ledger import Ledger
from tests.solved import solved_namespace
from tests.submissions import groups_lost, judged_here, made_up, released_notebook
from tests.waiting import wait_for
from workshop.evidence import evidence_log
from workshop.hung import ask_to_kill
from workshop.lab import Lab
from workshop.loop import Allowlist, GateError, RunBudget, Student, read_allowlist, run_agent
from workshop.make_believe import MakeBelieveClock, MakeBelieveTools, MakeBelieveWorker, NotRealError, Script
from workshop.worker import Worker, hang, hung_family, is_alive, late_file, start_worker

LAB = Lab.find("lab5_bounded_loop")
FAMILY = ["worker", "child", "grandchild"]


@pytest.fixture(scope="module")
def solved() -> dict[str, Any]:
    return solved_namespace(LAB.id)


@pytest.fixture
def allowlist() -> Allowlist:
    return read_allowlist(LAB.data / "tools-v4.json")


@pytest.fixture
def worker() -> Iterator[Worker]:
    running = start_worker("search", {"query": "gates"})
    yield running
    finish(running)


def finish(worker: Worker) -> int:
    while (code := worker.poll()) is None:
        time.sleep(0.005)
    return code


def code_of(call: Any, *args: Any) -> Any:
    try:
        return call(*args)
    except GateError as error:
        return error.code


def test_the_dry_run_of_the_article_with_real_workers(solved: dict[str, Any], allowlist: Allowlist) -> None:
    budget = RunBudget("run-demo-1", max_steps=2, max_wall_s=30)
    outcomes = [
        code_of(solved["dispatch"], budget, allowlist, tool, {}, start_worker) for tool in ("search", "shell", "search")
    ]

    assert outcomes == [{"hits": ["a page about nothing"]}, "unknown_tool", "budget_exceeded"]
    assert [(line["step"], line["gate"]) for line in budget.evidence] == [
        (1, "ok"),
        (2, "unknown_tool"),
        (3, "budget_exceeded"),
    ]


@pytest.mark.parametrize("tool", ["fetch", "export"])
def test_an_error_page_and_a_huge_result_never_reach_the_next_prompt(
    solved: dict[str, Any], allowlist: Allowlist, tool: str
) -> None:
    prompts: list[str] = []

    def model(prompt: Any) -> tuple[str, dict[str, Any]]:
        prompts.append(json.dumps(prompt))
        return tool, {}

    budget = RunBudget("run-page", max_steps=2, max_wall_s=30)
    student = Student(solved["check_budget"], solved["dispatch"], solved["next_prompt"])
    end = run_agent(model, "task", budget, allowlist, start_worker, student)

    assert end == "budget_exceeded"
    assert len(prompts) == 2
    assert "schema_invalid" in prompts[1]
    assert "Bad Gateway" not in prompts[1]
    assert "row 1" not in prompts[1]


def test_a_hung_tool_is_gone_with_its_family_and_its_late_file_never_appears(
    solved: dict[str, Any], allowlist: Allowlist, tmp_path: Path
) -> None:
    started: dict[str, psutil.Process] = {}

    def start_and_look(tool: str, args: dict[str, Any]) -> Worker:
        worker = start_worker(tool, args)
        started.update(hung_family(tmp_path, FAMILY))
        return worker

    budget = RunBudget("run-hung", max_steps=8, max_wall_s=30)
    args = hang(tmp_path, FAMILY, stubborn=FAMILY, late_s=2.0)
    outcome = code_of(solved["dispatch"], budget, allowlist, "reindex", args, start_and_look)
    wait_for(lambda: not any(map(is_alive, started.values())))

    assert outcome == "tool_timeout"
    assert list(started)
    time.sleep(2.0)
    assert not late_file(tmp_path).exists()


@pytest.mark.parametrize("stubborn", [[], ["grandchild"], FAMILY])
def test_a_right_kill_leaves_nobody_every_time(solved: dict[str, Any], stubborn: list[str]) -> None:
    for _ in range(3):
        seen = ask_to_kill(solved["kill_tree"], FAMILY, stubborn)
        assert (seen.survivors, seen.wrote_late_file) == ([], False)


@pytest.mark.parametrize(
    ("name", "survivors"),
    [("child_survives", ["child", "grandchild"]), ("sigterm_only", ["grandchild"]), ("join_instead_of_kill", FAMILY)],
)
def test_survivors_are_seen_have_done_their_late_work_and_are_ended(name: str, survivors: list[str]) -> None:
    mutant = next(student for student in made_up("mutants", LAB.id) if student.name == name)
    before = set(psutil.Process().children(recursive=True))
    seen = ask_to_kill(solved_namespace(LAB.id, mutant.cells)["kill_tree"], FAMILY, ["grandchild"])

    assert seen.survivors == survivors
    assert seen.wrote_late_file
    assert not [left for left in set(psutil.Process().children(recursive=True)) - before if is_alive(left)]


def test_a_late_file_counts_as_an_effect(solved: dict[str, Any]) -> None:
    ledger = Ledger()
    case = {"family": ["worker"], "about": ["worker"]}
    drive("lab5.kill", [solved["kill_tree"]], case, World(ledger, LAB), tell_message=True)
    assert ledger.count == 0
    drive("lab5.kill", [lambda worker: None], case, World(ledger, LAB), tell_message=True)
    assert ledger.count == 1


def test_a_worker_sees_nothing_of_the_environment_but_its_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LAB_API_KEY", "not for a tool")
    worker = start_worker("reindex", hang(tmp_path, ["worker"], late_s=5.0))
    process = hung_family(tmp_path, ["worker"])["worker"]
    seen = process.environ()
    process.kill()
    finish(worker)

    assert "LAB_API_KEY" not in seen
    assert "PATH" in seen


def test_a_worker_leads_a_process_group_of_its_own(worker: Worker) -> None:
    assert os.getpgid(worker.pid) == worker.pid != os.getpgrp()


def test_a_worker_that_prints_more_than_a_pipe_holds_does_not_wait_for_a_reader() -> None:
    worker = start_worker("export", {"rows": 20_000})

    assert finish(worker) == 0
    assert len(worker.read()) > 200_000


def test_a_program_that_no_worker_knows_is_a_crash() -> None:
    worker = start_worker("shell", {})

    assert finish(worker) != 0
    assert worker.read() == b""


def test_nothing_can_be_added_to_an_allowlist(allowlist: Allowlist) -> None:
    with pytest.raises(TypeError):
        allowlist.tools["shell"] = allowlist.tools["search"]  # type: ignore[index]


def test_a_make_believe_worker_has_no_process_that_could_be_killed() -> None:
    worker = MakeBelieveWorker("search", Script(), MakeBelieveClock())
    with pytest.raises(NotRealError, match="kill_tree"):
        worker.pid  # noqa: B018


def test_a_make_believe_worker_that_is_stopped_prints_nothing() -> None:
    clock = MakeBelieveClock()
    worker = MakeBelieveTools({"search": Script(takes_s=3.0, prints="late")}, clock).start("search", {})
    clock.advance(2.0)
    worker.kill()

    assert worker.poll() not in (None, 0)
    assert (worker.read(), worker.ran_s) == (b"", 2.0)


def test_a_case_leaves_the_real_clock_and_the_students_kill_tree_in_place(solved: dict[str, Any]) -> None:
    sleep, kill_tree = time.sleep, solved["kill_tree"]
    for case in public_cases(LAB)["lab5.dispatch"]:
        drive(
            "lab5.dispatch",
            [solved["dispatch"], solved["check_budget"]],
            case.input,
            World(Ledger(), LAB),
            tell_message=True,
        )

    assert time.sleep is sleep
    assert solved["kill_tree"] is kill_tree


def test_dispatch_can_be_checked_before_kill_tree_is_written(solved: dict[str, Any]) -> None:
    names = {name: value for name, value in solved.items() if name != "kill_tree"}
    dispatch = type(solved["dispatch"])(solved["dispatch"].__code__, names)
    case = next(case for case in public_cases(LAB)["lab5.dispatch"] if case.id == "stopped-at-all")
    told = drive(
        "lab5.dispatch",
        [dispatch, solved["check_budget"]],
        case.input,
        World(Ledger(), LAB),
        tell_message=True,
    )

    assert json.loads(told.text) == {"still_running": []}
    assert "kill_tree" not in names


def test_the_gates_are_checked_without_a_wait_although_tools_hang(
    solved: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    objects = [solved["dispatch"], solved["check_budget"]]
    for case in public_cases(LAB)["lab5.dispatch"]:
        drive("lab5.dispatch", objects, case.input, World(Ledger(), LAB), tell_message=True)
    assert slept == []


@pytest.mark.parametrize("check_id", ["lab5.audit", "lab5.bypass"])
def test_the_public_cases_of_a_questionnaire_hold_no_answer(check_id: str) -> None:
    for case in public_cases(LAB)[check_id]:
        assert case.input["observe"] == "answered"
        assert all(type(count) is int for count in case.accepted)


def test_the_evidence_log_marks_what_a_gate_stopped_and_shows_text_as_text() -> None:
    lines = LAB.read_json("evidence-sample.json")
    panel = evidence_log([*lines, {**lines[0], "tool": "<b>bold</b>"}], leave_out=["wall_ms_used"])

    assert panel.html.count("ao-fault") - panel.html.count(".ao-fault") == 4
    assert "7 lines, 4 stopped by a gate" in panel.text
    assert "✗ tool_timeout" in panel.text
    assert "<b>" not in panel.html
    assert "wall ms used" not in panel.text


def test_the_lab_is_worth_twenty_points_in_sixty_minutes() -> None:
    assert (LAB.points, LAB.minutes) == (20, 60)


def test_every_misconception_has_a_wrong_solution() -> None:
    assert {student.hint for student in made_up("mutants", LAB.id)} == set(LAB.misconceptions)


@pytest.mark.parametrize("stub", ["raise NotImplementedError", "pass"])
def test_untouched_or_filled_with_nothing_every_point_is_lost(stub: str) -> None:
    cells = {
        name: source.replace("raise NotImplementedError", stub if source.startswith("def") else "pass")
        for name, source in solution_cells(released_notebook(LAB.id)).items()
    }
    verdicts = judged_here(LAB.id, MadeUp("untouched", cells, (), None))

    assert groups_lost(verdicts) == {group.id for check in LAB.checks for group in check.groups}
