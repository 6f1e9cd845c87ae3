"""The formgrader in JupyterLab, started at the course's root, shows the marks that were given."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest
from nbgrader.api import Gradebook

from tests.grader.conftest import GradedClass
from tests.hostile.attacks import LAB4


@pytest.fixture
def formgrader(graded_class: GradedClass) -> Iterator[httpx.Client]:
    """A client of a real JupyterLab with nbgrader's extensions."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}"),
            *("--ServerApp.port_retries=0", "--IdentityProvider.token=secret"),
        ],
        cwd=graded_class.course.root,
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


def test_the_formgrader_shows_the_status_above_the_notebook(
    graded_class: GradedClass, formgrader: httpx.Client
) -> None:
    with Gradebook(graded_class.course.db_url) as gradebook:
        paper = gradebook.find_submission_notebook(LAB4, LAB4, "untouched").id
    page = formgrader.get(f"/formgrader/submissions/{paper}", follow_redirects=True)
    assert page.status_code == 200
    assert page.text.index("Graded.") < page.text.index("Lab 4")
