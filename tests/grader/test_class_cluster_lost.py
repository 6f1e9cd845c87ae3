"""A cluster that is lost on the way ends the run with one line: nobody's mark is lost, and the next run goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.classroom import Row, grade_with
from grader.cluster import cluster
from grader.course import Course
from grader.dask_workers import ClusterUnavailable
from grader.hand_ins import find_submissions
from tests.grader.real_cluster import RealCluster, free_port
from tests.grader.small_class import STUDENTS, finish, outcome, results, start
from tests.hostile.attacks import LAB1
from tests.waiting import wait_for

WITHOUT_BWRAP = {**os.environ, "PATH": "/nowhere"}


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[RealCluster]:
    """A scheduler, still without workers."""
    (tmp_path / "cluster").mkdir()
    with RealCluster(tmp_path / "cluster") as real:
        yield real


@pytest.fixture
def real(empty: RealCluster) -> RealCluster:
    """A scheduler and two workers."""
    empty.start_worker()
    empty.start_worker()
    empty.wait_for_workers(2)
    return empty


def grade_on(real: RealCluster, course: Course, after_three: Callable[[], object]) -> list[Row]:
    """Grade the class, and do something when three of it are graded."""

    def act(what: str, number: int, total: int) -> None:
        if number == 3:
            after_three()

    with cluster(real.address, course, {LAB1}, sandbox=True) as pool:
        return grade_with(pool, course, find_submissions(course, [LAB1]), progress=act)


def break_off(real: RealCluster, course: Course, end: Callable[[], object]) -> None:
    """Run the command, do ``end`` in the middle, and see it give up with one line."""
    run = start(course, "--dask", real.address)
    wait_for(lambda: len(results(course)) >= 2 or run.poll() is not None, seconds=180)
    end()
    told, said = run.communicate(timeout=120)
    assert (run.returncode, told) == (1, "")
    assert len(said.splitlines()) == 1, said
    assert said.startswith(f"admit-one: the Dask scheduler at {real.address} ")
    assert said.endswith("; what is graded is kept, the same command goes on\n")


def goes_on(course: Course, kept: dict[str, int], undisturbed: dict[str, Any], *options: str) -> None:
    """The next run grades what is left, and only that."""
    assert 2 <= len(kept) < STUDENTS
    assert len(list(course.autograded.rglob("verdict.json"))) <= len(kept), "somebody was marked without a result"
    assert len(finish(course, *options)) == STUDENTS
    assert kept.items() <= results(course).items(), "something was graded twice"
    assert outcome(course) == undisturbed


def test_a_scheduler_that_dies_ends_the_run_with_one_line_and_the_class_is_finished_here(
    course: Course, undisturbed: dict[str, Any], real: RealCluster
) -> None:
    break_off(real, course, real.scheduler.kill)
    goes_on(course, results(course), undisturbed)


def test_a_scheduler_that_is_replaced_on_the_way_knows_nothing_of_the_run_and_finishes_the_next(
    course: Course, undisturbed: dict[str, Any], real: RealCluster
) -> None:
    def replace() -> None:
        real.scheduler.kill()
        real.scheduler.wait()
        real.start_scheduler()
        real.start_worker()

    break_off(real, course, replace)
    goes_on(course, results(course), undisturbed, "--dask", real.address)


def test_a_scheduler_that_freezes_is_given_up(
    course: Course, real: RealCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def freeze() -> None:
        monkeypatch.setattr("grader.dask_workers.PATIENCE_S", 1)
        monkeypatch.setattr("grader.cluster.CONNECT_S", 1)  # for how long it asks the scheduler to take all away
        real.scheduler.send_signal(signal.SIGSTOP)

    with pytest.raises(ClusterUnavailable, match="does not answer; what is graded is kept"):
        grade_on(real, course, freeze)
    assert len(results(course)) >= 3


def test_a_run_whose_workers_are_all_gone_for_good_ends_and_says_so(
    course: Course, real: RealCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill_all() -> None:
        monkeypatch.setattr("grader.dask_workers.PATIENCE_S", 5)
        real.kill_workers()

    with pytest.raises(ClusterUnavailable, match=f"no worker is left at {real.address}: start dask worker"):
        grade_on(real, course, kill_all)
    assert len(results(course)) >= 3
    assert len(list(course.autograded.rglob("verdict.json"))) <= len(results(course))


def test_a_run_whose_workers_all_died_passes_by_an_unfit_one_and_finishes_on_the_next(
    course: Course, undisturbed: dict[str, Any], real: RealCluster
) -> None:
    def replace() -> None:
        real.kill_workers()
        real.start_worker(WITHOUT_BWRAP)
        real.wait_for_workers(1)
        real.start_worker()

    rows = grade_on(real, course, replace)
    assert all(row.is_new for row in rows)
    assert outcome(course) == undisturbed


def test_a_worker_that_loses_its_sandbox_on_the_way_is_passed_by(
    course: Course, undisturbed: dict[str, Any], empty: RealCluster, tmp_path: Path
) -> None:
    bwrap = bwrap_of_its_own(tmp_path)
    doomed = empty.start_worker({**os.environ, "PATH": str(bwrap.parent)})
    empty.start_worker()
    empty.start_worker()
    empty.wait_for_workers(3)
    grade_on(empty, course, lambda: take_sandbox(bwrap, doomed.pid))
    assert outcome(course) == undisturbed


def test_where_every_worker_loses_its_sandbox_the_run_says_which_and_why_and_marks_nobody(
    course: Course, empty: RealCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_last_sandbox() -> None:
        monkeypatch.setattr("grader.dask_workers.PATIENCE_S", 5)
        take_sandbox(bwrap, doomed.pid)

    bwrap = bwrap_of_its_own(tmp_path)
    doomed = empty.start_worker({**os.environ, "PATH": str(bwrap.parent)})
    empty.wait_for_workers(1)
    with pytest.raises(ClusterUnavailable, match=r"can grade any more; worker tcp://\S+: no sandbox: bubblewrap is"):
        grade_on(empty, course, take_last_sandbox)
    assert len(list(course.autograded.rglob("verdict.json"))) <= len(results(course))


def test_a_cluster_where_one_worker_has_no_sandbox_is_refused_and_keeps_nothing(
    course: Course, empty: RealCluster
) -> None:
    empty.start_worker()
    empty.start_worker(WITHOUT_BWRAP)
    empty.wait_for_workers(2)
    with (
        pytest.raises(ClusterUnavailable, match=r"^worker tcp://\S+: no sandbox: bubblewrap is missing"),
        cluster(empty.address, course, {LAB1}, sandbox=True),
    ):
        pass
    assert empty.desks() == []


def test_a_worker_that_comes_late_gets_work_too(course: Course, real: RealCluster) -> None:
    with cluster(real.address, course, {LAB1}, sandbox=True) as pool:
        assert pool.width() == 2
        real.start_worker()
        wait_for(lambda: pool.width() == 3)


def test_two_runs_on_one_cluster_do_not_get_in_each_others_way(
    course: Course, undisturbed: dict[str, Any], real: RealCluster
) -> None:
    """A second start of the same command is refused, and must not end the first one's work either."""

    def start_another() -> None:
        second = start(course, "--dask", real.address)
        _, said = second.communicate(timeout=180)
        assert (second.returncode, said) == (
            1,
            "admit-one: another run is grading this course: let it end, or end it\n",
        )

    grade_on(real, course, start_another)
    assert outcome(course) == undisturbed


def test_what_a_killed_run_left_with_the_workers_is_taken_away_by_the_next(course: Course, real: RealCluster) -> None:
    run = start(course, "--dask", real.address)
    wait_for(lambda: len(results(course)) >= 2 or run.poll() is not None, seconds=180)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    left = real.desks()
    assert len(left) == 1
    with cluster(real.address, course, {LAB1}, sandbox=True):
        assert len(real.desks()) == 1
        assert real.desks() != left
    assert real.desks() == []


@pytest.mark.parametrize("at", ["closed", "silent", "tcp://", "http://127.0.0.1:1", "nowhere", ""])
def test_an_address_without_a_scheduler_is_said_in_one_line(
    course: Course, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.dask_workers.CONNECT_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = {"closed": free_port(), "silent": silent.getsockname()[1]}.get(at)
        address = f"tcp://127.0.0.1:{port}" if port else at
        with (
            pytest.raises(ClusterUnavailable, match=f"^no Dask scheduler (answers )?at {address}: .+$"),
            cluster(address, course, {LAB1}, sandbox=True),
        ):
            pass


def bwrap_of_its_own(folder: Path) -> Path:
    """bubblewrap and all else that a sandbox needs, in a PATH that can be spoiled."""
    place = folder / "bin"
    place.mkdir()
    found = shutil.which("bwrap")
    assert found
    (place / "bwrap").symlink_to(found)
    return place / "bwrap"


def take_sandbox(bwrap: Path, worker: int) -> None:
    """From now on this worker starts none, and those that it had are gone."""
    bwrap.unlink()
    for one in psutil.Process(worker).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
