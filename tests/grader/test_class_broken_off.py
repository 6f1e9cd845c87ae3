"""A class run that is killed or stopped, whole or in part: run again it ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from typing import Any

import nbformat
import psutil
from nbformat.v4 import new_code_cell

from grader.course import Course
from grader.launch import Child, Furniture, Launch
from tests.grader.small_class import STUDENTS, finish, grade, outcome, results, start
from tests.hostile.attacks import LAB1
from tests.submissions import hand_in
from tests.waiting import wait_for

KEPT = 3


def held(then: str) -> tuple[str, ...]:
    """The command, but that it does ``then`` when it has kept its third result; sandboxes are busy meanwhile."""
    program = f"""
import multiprocessing, os, signal
from grader.cli import main
from grader.results import ResultStore

put, keys = ResultStore.put, []


def put_and_act(store, key, result):
    put(store, key, result)
    keys.append(key)
    if len(keys) == {KEPT}:
        {then}


ResultStore.put = put_and_act
main()
"""
    return sys.executable, "-c", program


def has_kept_or_ended(course: Course, least: int, run: subprocess.Popen[str]) -> bool:
    return len(results(course)) >= least or run.poll() is not None


def test_a_run_that_is_killed_again_and_again_comes_to_the_same_end(
    course: Course, undisturbed: dict[str, Any], chance: random.Random
) -> None:
    kept: dict[str, int] = {}
    for least in (1, 4, 7):
        run = start(course)
        wait_for(partial(has_kept_or_ended, course, least, run))
        time.sleep(chance.uniform(0, 0.2))
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        now = results(course)
        assert kept.items() <= now.items(), "something was graded twice"
        kept = now
    assert len(finish(course)) == STUDENTS
    assert kept.items() <= results(course).items(), "something was graded twice"
    assert outcome(course) == undisturbed
    assert [row["is_new"] for row in finish(course)] == [False] * STUDENTS


def test_ctrl_c_stops_with_one_line_and_costs_nobody_a_mark(course: Course, undisturbed: dict[str, Any]) -> None:
    """A terminal sends it to the whole group: it must not reach the sandboxes."""
    run = start(course, program=held("signal.pause()"))
    wait_for(lambda: len(results(course)) == KEPT)
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=90)
    assert run.returncode == 130
    assert said.strip().splitlines() == [
        "admit-one: stopped: what is graded is kept; run the same command again to go on"
    ]
    assert len(results(course)) == KEPT
    finish(course)
    assert outcome(course) == undisturbed


def test_ctrl_c_does_not_wait_for_a_notebook_that_hangs(course: Course) -> None:
    """Here one may hang for longer than this test has patience."""
    program = """
from grader import grading
from grader.bounds import Bounds
from grader.cli import main

grading.Bounds = lambda: Bounds(cell_s=1000, notebook_s=1000)
main()
"""
    hangs = nbformat.read(course.submitted / "s0" / LAB1 / f"{LAB1}.ipynb", as_version=4)
    hangs.cells.append(new_code_cell("import time\ntime.sleep(1000)", id="hangs"))
    hand_in(course, "s_hangs", LAB1, hangs)
    run = start(course, program=(sys.executable, "-c", program))
    wait_for(lambda: len(results(course)) == STUDENTS)
    os.killpg(run.pid, signal.SIGINT)
    told, said = run.communicate(timeout=90)
    assert (run.returncode, told) == (130, "")
    assert said == "admit-one: stopped: what is graded is kept; run the same command again to go on\n"
    assert len(results(course)) == STUDENTS


def test_a_run_that_is_killed_alone_takes_its_writer_along(course: Course, undisturbed: dict[str, Any]) -> None:
    """The writer ends after the record that it is at, and only then can another run begin."""
    run = start(course, program=held("os.kill(os.getpid(), signal.SIGKILL)"))
    told, said = run.communicate(timeout=90)  # which waits until nobody holds the pipes any more
    assert (run.returncode, told, said) == (-signal.SIGKILL, "", "")
    assert len(results(course)) == KEPT
    finish(course)
    assert outcome(course) == undisturbed


def test_a_writer_that_is_killed_ends_the_run_with_one_line_and_loses_nothing(
    course: Course, undisturbed: dict[str, Any]
) -> None:
    run = start(course, program=held("multiprocessing.active_children()[0].kill()"))
    told, said = run.communicate(timeout=90)
    assert (run.returncode, told) == (1, "")
    assert said == ("admit-one: the process that writes the marks was ended: run again; what is graded is kept\n")
    assert len(results(course)) == KEPT
    finish(course)
    assert outcome(course) == undisturbed


def test_a_sandbox_that_is_killed_from_outside_costs_nobody_a_mark(
    course: Course, undisturbed: dict[str, Any], launch: Launch
) -> None:
    killed: list[int] = []

    def launch_and_kill(files: Furniture, is_hidden: bool) -> Child:
        child = launch(files, is_hidden)
        if len(killed) < 2:
            threading.Timer(0.05, kill_sandboxes).start()
        return child

    def kill_sandboxes() -> None:
        for one in psutil.Process().children(recursive=True):
            if one.name() == "bwrap":
                killed.append(one.pid)
                one.kill()

    grade(course, launch_and_kill, workers=1)
    assert killed
    assert outcome(course) == undisturbed
