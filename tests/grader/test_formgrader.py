"""The formgrader in JupyterLab, started at the course's root, shows the marks that were given."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

import httpx
import pytest
from nbgrader.api import Gradebook

from grader.course import Course
from grader.marks import read_marks
from grader.status import NOT_GRADED, STATUSES
from tests.grader.graded_class import GradedClass
from tests.hostile.attacks import LAB1, LAB4
from workshop.lab import all_labs


@contextmanager
def jupyterlab_at(root: Path) -> Iterator[httpx.Client]:
    """A client of a real JupyterLab with nbgrader's extensions."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}"),
            *("--ServerApp.port_retries=0", "--IdentityProvider.token=secret"),
        ],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    headers = {"Authorization": "token secret"}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client:
        try:
            _wait_until_up(client, server)
            yield client
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture
def formgrader(graded_class: GradedClass) -> Iterator[httpx.Client]:
    with jupyterlab_at(graded_class.course.root) as client:
        yield client


def _wait_until_up(client: httpx.Client, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and server.poll() is None:
        try:
            client.get("/api").raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError("JupyterLab did not start")


def test_the_formgrader_shows_the_marks(graded_class: GradedClass, formgrader: httpx.Client) -> None:
    submissions = {row["student"]: row for row in formgrader.get(f"/formgrader/api/submissions/{LAB4}").json()}
    assert submissions["solved"]["score"] == submissions["solved"]["max_score"] == 20
    assert submissions["untouched"]["score"] == 0
    assert not any(submissions[student]["needs_manual_grade"] for student in ("solved", "untouched", "noisy"))
    page = formgrader.get(f"/formgrader/manage_submissions/{LAB4}")
    assert page.status_code == 200
    assert "Manage Submissions" in page.text


def test_the_formgrader_says_above_each_notebook_what_became_of_it(marked: Course) -> None:
    statuses = {mark.student: mark.status for mark in read_marks(marked, all_labs(marked.root)) if mark.lab_id == LAB1}
    with Gradebook(marked.db_url, "admit-one") as gradebook:
        papers = {one.student.id: one.notebooks[0].id for one in gradebook.assignment_submissions(LAB1)}
    with jupyterlab_at(marked.root) as client:
        pages = {
            student: client.get(f"/formgrader/submissions/{paper}", follow_redirects=True)
            for student, paper in papers.items()
        }
    assert {statuses[student] for student in pages} == set(STATUSES) - {"not_submitted", NOT_GRADED}
    for student, page in pages.items():
        shown = unescape(page.text)
        assert shown.index(STATUSES[statuses[student]].to_student) < shown.index("Lab 1: ")


def test_the_formgraders_list_flags_what_a_person_should_look_at(marked: Course) -> None:
    statuses = {mark.student: mark.status for mark in read_marks(marked, all_labs(marked.root)) if mark.lab_id == LAB1}
    with jupyterlab_at(marked.root) as client:
        rows = client.get(f"/formgrader/api/submitted_notebooks/{LAB1}/{LAB1}").json()
    flagged = {statuses[row["student"]] for row in rows if row["flagged"]}
    assert flagged == {"could_not_grade", "tampered", "crashed"}
    assert {statuses[row["student"]] for row in rows if not row["flagged"]} == {"graded", "timed_out"}
