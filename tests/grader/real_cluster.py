"""A Dask cluster of real processes on this machine: a scheduler and workers, with nothing of the course."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from distributed import Client


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RealCluster:
    """Starts processes and ends them with the ``with`` block; each has a folder and a log of its own."""

    def __init__(self, folder: Path) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._folder = folder
        self._belongings = ExitStack()
        self.scheduler = self.start_scheduler()

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        """At ``address``, where the one before has ended."""
        options = ("--host", self.address, "--no-dashboard", "--no-show")
        self.scheduler = self._start("scheduler", options, os.environ)
        return self.scheduler

    def start_worker(self, environment: Mapping[str, str] = os.environ) -> subprocess.Popen[bytes]:
        """One that grades a notebook at a time, and ends when its scheduler does."""
        options = (self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard")
        self.workers.append(self._start("worker", options, environment))
        return self.workers[-1]

    def wait_for_workers(self, count: int) -> None:
        with Client(self.address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=60)

    def kill_workers(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait()

    def desks(self) -> list[str]:
        """The names of what runs have left with the workers."""
        with Client(self.address, timeout=60, set_as_default=False) as client:
            found = client.run(lambda dask_worker: list(dask_worker.plugins))
        return sorted({name for names in found.values() for name in names if name.startswith("admit-one")})

    def loaded(self, module: str) -> bool:
        """Whether any worker has imported it."""
        with Client(self.address, timeout=60, set_as_default=False) as client:
            return any(client.run(lambda: bool(sys.modules.get(module))).values())

    def _start(self, what: str, options: tuple[str, ...], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        place = self._folder / f"{what}-{len(list(self._folder.iterdir()))}"
        place.mkdir()
        command = (sys.executable, "-m", f"distributed.cli.dask_{what}", *options)
        said = self._belongings.enter_context((place / "log").open("wb"))
        process = subprocess.Popen(command, cwd=place, stdout=said, stderr=said, env=environment)
        self._belongings.callback(process.wait, 30)
        self._belongings.callback(process.kill)
        return process

    def __enter__(self) -> RealCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._belongings.close()
