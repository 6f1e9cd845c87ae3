"""Opens a lab in JupyterLab, says where, and waits for it; a notebook that needs the stub server starts it itself."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from stub_server.errors import Mendable
from stub_server.server import port_is_free
from workshop.lab import Lab

_LOOK_AGAIN_S = 0.2
_ENDING_S = 10.0


class PortTaken(Mendable):
    """Another program, most often another JupyterLab, listens on the port that a lab is opened on."""


def open_in_jupyterlab(
    root: Path, lab: Lab, port: int, *, with_browser: bool = True, on_ready: Callable[[str], None]
) -> int:
    """Run JupyterLab on the lab's notebook until it ends; gives its exit code.

    ``on_ready`` is called once, with the notebook's address, when the server answers there: a machine without a browser
    of its own (SSH, WSL, a container) has nothing else to go by. JupyterLab itself says warnings only, and does not
    ask about news. The port stays the same from day to day, since the timing board's state is kept by origin.
    Raises PortTaken.
    """
    notebook = Path("notebooks", lab.id, f"{lab.id}.ipynb")
    if not port_is_free(port):
        raise PortTaken(f"port {port} is in use; close the other JupyterLab or choose another --port")
    command = [
        *(sys.executable, "-m", "jupyterlab", str(root / notebook)),
        f"--ServerApp.root_dir={root}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.answer_yes=True",  # Ctrl-C ends it without asking again
        "--ServerApp.log_level=WARN",
        "--LabApp.log_level=WARN",
        "--LabApp.news_url=None",
        *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),  # in a container
        *([] if with_browser else ["--no-browser"]),
    ]

    def say_where(server: dict[str, Any]) -> None:
        token = f"?token={quote(server['token'])}" if server["token"] else ""
        on_ready(f"{server['url']}lab/tree/{quote(notebook.as_posix())}{token}")

    return _run_until_it_ends(command, root, port, say_where)


def _environment() -> dict[str, str]:
    """Ours, with a token: JupyterLab prints one that it made itself among addresses that do not lead to the lab.

    What is configured, in these variables or in Jupyter's files, goes before ours.
    """
    if os.environ.get("JUPYTER_TOKEN") or os.environ.get("JUPYTER_TOKEN_FILE"):
        return dict(os.environ)
    return {**os.environ, "JUPYTER_TOKEN": secrets.token_hex(24)}


def _run_until_it_ends(command: list[str], folder: Path, port: int, say_where: Callable[[dict[str, Any]], None]) -> int:
    """The exit code. Ctrl-C reaches JupyterLab too, which then saves its state and ends: it is waited for.

    Where a kernel was just being started it can miss that, and is told once more in another way.
    """
    before = _servers(port)
    is_up = is_interrupted = False
    with subprocess.Popen(command, cwd=folder, env=_environment()) as jupyterlab:
        while True:
            try:
                new = [] if is_up else [server for server in _servers(port) if server not in before]
                if new:
                    is_up = True
                    say_where(new[0])
                return jupyterlab.wait(_ENDING_S if is_interrupted else None if is_up else _LOOK_AGAIN_S)
            except KeyboardInterrupt:
                is_interrupted = True
            except subprocess.TimeoutExpired:
                if is_interrupted:
                    jupyterlab.terminate()


def _servers(port: int) -> list[dict[str, Any]]:
    """What Jupyter has on file about servers at the port. It may outlive a server whose process id is used again."""
    from jupyter_server.serverapp import list_running_servers

    try:
        return [server for server in list_running_servers() if server["port"] == port]
    except OSError:  # a file went while it was read
        return []
