"""A Dask cluster gives the same bytes, also where a worker is killed on the way; PostgreSQL holds the same marks."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from grader.classroom import grade_with
from grader.cluster import cluster
from grader.course import Course
from grader.hand_ins import find_submissions
from tests.grader.real_cluster import RealCluster, free_port
from tests.grader.small_class import marks, outcome
from tests.hostile.attacks import LAB1

ADMIT_ONE = Path(sys.executable).parent / "admit-one"
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    with RealCluster(tmp_path_factory.mktemp("cluster")) as real:
        real.start_worker()
        real.start_worker()
        real.wait_for_workers(2)
        yield real


def test_a_cluster_gives_the_same_bytes_though_a_worker_is_killed_on_the_way(
    course: Course, undisturbed: dict[str, Any], two_workers: RealCluster
) -> None:
    def kill_one(what: str, number: int, total: int) -> None:
        if number == 3:
            two_workers.workers[0].send_signal(signal.SIGKILL)

    submissions = find_submissions(course, [LAB1])
    with cluster(two_workers.address, course, {LAB1}, sandbox=True) as pool:
        assert pool.width() == 2
        rows = grade_with(pool, course, submissions, progress=kill_one)
    assert two_workers.workers[0].wait(10) == -signal.SIGKILL
    assert two_workers.workers[1].poll() is None
    assert all(row.is_new for row in rows)
    assert outcome(course) == undisturbed


def test_the_command_grades_on_a_cluster(course: Course, undisturbed: dict[str, Any], two_workers: RealCluster) -> None:
    done = run(course, "grade", "1", "--dask", two_workers.address)
    assert done.returncode == 0, done.stderr
    assert outcome(course) == undisturbed
    assert two_workers.loaded("nbformat")
    assert not two_workers.loaded("rfc3987_syntax"), "which takes longer to load than all the rest"


def run(course: Course, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ADMIT_ONE, *command], cwd=course.root, capture_output=True, text=True, timeout=180)


@pytest.fixture
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a database in a PostgreSQL of our own. It refuses to run as root, so then another user runs it."""
    if not POSTGRES:
        pytest.skip("PostgreSQL is missing: apt install postgresql")
    programs = POSTGRES[-1].parent
    folder = tmp_path_factory.mktemp("postgres")
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:
        for place in (folder, *folder.parents):
            if place.owner() == "root" and place != Path("/"):
                place.chmod(place.stat().st_mode | 0o011)
        shutil.chown(folder, "postgres", "postgres")
        as_user = {"user": "postgres", "group": "postgres", "extra_groups": []}
    port = free_port()
    data = folder / "data"
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "teacher", "-A", "trust", "--no-sync"],
        check=True,
        capture_output=True,
        cwd=folder,
        **as_user,
    )
    server = subprocess.Popen(
        [programs / "postgres", "-D", data, "-k", folder, "-p", str(port), "-c", "listen_addresses=127.0.0.1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        **as_user,
    )
    try:
        until = time.monotonic() + 60
        while subprocess.run(
            [programs / "pg_isready", "-h", "127.0.0.1", "-p", str(port)], capture_output=True
        ).returncode:
            assert time.monotonic() < until, "PostgreSQL did not start"
            time.sleep(0.1)
        yield f"postgresql+psycopg://teacher@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


def test_marks_go_to_postgresql_where_nbgraders_configuration_says_so(
    course: Course, undisturbed: dict[str, Any], postgres: str
) -> None:
    """The instructor adds two lines to nbgrader_config.py; the kit's commands and plain nbgrader both follow them."""
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(f"c = get_config()\nc.CourseDirectory.db_url = {postgres!r}\n")
    course.gradebook.unlink()
    for command in (("release", "1"), ("grade", "1")):
        done = run(course, *command)
        assert done.returncode == 0, done.stderr
    assert not course.gradebook.exists()
    there = Course.at(course.root)
    assert there.db_url == postgres
    assert marks(there) == undisturbed["marks"]
    plain = subprocess.run(
        [ADMIT_ONE.with_name("nbgrader"), "autograde", LAB1, "--student", "s3", "--force"],
        cwd=course.root,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert plain.returncode == 0, plain.stderr
    assert marks(there) == undisturbed["marks"]
    with Gradebook(postgres) as gradebook:
        assert len(gradebook.students) == 9
