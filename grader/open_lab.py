"""Opens a lab: the stub server as a process beside JupyterLab, both ended together."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import stub_server
from workshop.lab import Lab


def open_in_jupyterlab(root: Path, lab: Lab, port: int) -> int:
    """Run JupyterLab on the lab's notebook until it ends; gives its exit code.

    The port stays the same from day to day, since the timing board's state is kept by origin. Raises StartError where
    another program has it.
    """
    notebook = root / "notebooks" / lab.id / f"{lab.id}.ipynb"
    if not _is_free(port):
        raise stub_server.StartError(f"port {port} is in use; close the other JupyterLab or choose another --port")
    server = None if lab.starts_own_stub else stub_server.start()
    try:
        return subprocess.call(
            [
                sys.executable,
                "-m",
                "jupyterlab",
                str(notebook),
                f"--ServerApp.root_dir={root}",
                f"--ServerApp.port={port}",
                "--ServerApp.port_retries=0",
                *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),  # in a container
            ],
            cwd=root,
        )
    except KeyboardInterrupt:
        return 0
    finally:
        if server is not None:
            server.stop()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
