"""Opens a lab in JupyterLab and waits for it; a notebook that needs the stub server starts it itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from stub_server.errors import Mendable
from stub_server.server import port_is_free
from workshop.lab import Lab


class PortTaken(Mendable):
    """Another program, most often another JupyterLab, listens on the port that a lab is opened on."""


def open_in_jupyterlab(root: Path, lab: Lab, port: int) -> int:
    """Run JupyterLab on the lab's notebook until it ends; gives its exit code.

    The port stays the same from day to day, since the timing board's state is kept by origin. Raises PortTaken.
    """
    notebook = root / "notebooks" / lab.id / f"{lab.id}.ipynb"
    if not port_is_free(port):
        raise PortTaken(f"port {port} is in use; close the other JupyterLab or choose another --port")
    return _run_until_it_ends(
        [
            sys.executable,
            "-m",
            "jupyterlab",
            str(notebook),
            f"--ServerApp.root_dir={root}",
            f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0",
            "--ServerApp.answer_yes=True",  # Ctrl-C ends it without asking again
            *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),  # in a container
        ],
        root,
    )


def _run_until_it_ends(command: list[str], folder: Path) -> int:
    """The exit code. Ctrl-C reaches JupyterLab too, which then saves its state and ends: it is waited for."""
    with subprocess.Popen(command, cwd=folder) as jupyterlab:
        while True:
            try:
                return jupyterlab.wait()
            except KeyboardInterrupt:
                continue
