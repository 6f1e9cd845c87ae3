"""``admit-one lab 1``: the one line that it prints leads to the lab, from any browser and without solutions/."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.solved import ROOT
from workshop.lab import Lab

LAB = Lab.find("lab1")
LONG_MS = 90_000
"""JupyterLab and its kernel start here for the first time, maybe on a busy machine."""


@pytest.fixture
def handed_out(tmp_path: Path) -> Path:
    """What of the repository a student has: no solutions, no hidden cases, no later lab."""
    for place in (f"fixtures/{LAB.id}", "permits", f"notebooks/{LAB.id}"):
        shutil.copytree(ROOT / place, tmp_path / "kit" / place)
    return tmp_path / "kit"


@pytest.fixture
def started(
    handed_out: Path, nobodys_jupyter: dict[str, str], free_port: int, tmp_path: Path
) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "grader.cli", "lab", "1", "--no-browser", "--port", str(free_port)]
    environment = {**nobodys_jupyter, "PYTHONPATH": str(ROOT)}
    with (
        (tmp_path / "stderr.txt").open("w") as sink,
        subprocess.Popen(
            command,
            cwd=handed_out,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
            start_new_session=True,  # so that Ctrl-C reaches the command and JupyterLab, as in a terminal
        ) as lab,
    ):
        try:
            yield lab
        finally:
            if lab.poll() is None:
                os.killpg(lab.pid, signal.SIGTERM)


def test_the_printed_address_opens_the_lab(started: subprocess.Popen[str], fresh_page: Any, tmp_path: Path) -> None:
    assert started.stdout is not None
    line = started.stdout.readline()
    found = re.fullmatch(rf"Lab 1: (http://\S+/{LAB.id}\.ipynb\?token=\w+)  \(Ctrl-C ends it\)\n", line)
    assert found, (line, (tmp_path / "stderr.txt").read_text())
    page = fresh_page
    page.goto(found[1])
    page.get_by_role("heading", name=f"Lab 1: {LAB.title}").wait_for(timeout=LONG_MS)
    configured = json.loads(page.locator("#jupyter-config-data").text_content())
    assert configured["news"] == {"disabled": True}

    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=LONG_MS)
    os.killpg(started.pid, signal.SIGINT)
    assert started.wait(90) == 0
    assert started.stdout.read() == ""
    assert not re.search(r"http|^\[I ", (tmp_path / "stderr.txt").read_text(), re.MULTILINE), "JupyterLab stays quiet"
