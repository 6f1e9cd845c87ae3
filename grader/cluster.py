"""Computes results on a Dask cluster: the same function as here, in a sandbox on the worker (docs/cluster.md).

Workers have the kit installed and nothing of the course. A plug-in brings them what grading needs, hidden cases too,
and takes it away when the run ends; what a task carries is one notebook.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from distributed import Client, WorkerPlugin, get_worker

from grader.classroom import Pool
from grader.course import Course
from grader.dask_workers import CONNECT_S, GO_ON, PATIENCE_S, ClusterUnavailable, UnfitWorker, Workers, connect
from grader.exam import files_of_lab, read_exam
from grader.launch import CouldNotLaunch
from grader.launcher import open_launcher
from grader.results import Result
from grader.room import read_course_lab
from grader.sandbox import probe
from grader.submission import grade_with_retry, lab_version

_NAME = "admit-one-"


class Desk(WorkerPlugin):
    """What a worker grades with: the labs' files in a folder that only it can read, and its own sandboxes."""

    def __init__(self, name: str, files: dict[str, bytes], versions: dict[str, str], *, sandbox: bool) -> None:
        self.name = name
        self._files = files
        self._versions = versions
        self._sandbox = sandbox
        self._trouble = ""

    def setup(self, worker: Any) -> None:
        """Raises ClusterUnavailable; the scheduler takes no notice of that where a worker comes late."""
        self._belongings = ExitStack()
        try:
            self._furnish()
        except Exception as problem:
            self._belongings.close()
            self._trouble = str(problem)
            raise ClusterUnavailable(f"worker {worker.address}: {problem}") from problem

    def teardown(self, worker: Any) -> None:
        self._belongings.close()

    def grade(self, address: str, lab_id: str, data: bytes) -> Result:
        """Raises UnfitWorker where the fault is this worker's: another one may be able to grade the same."""
        if self._trouble:
            raise UnfitWorker(address, self._trouble)
        try:
            result = grade_with_retry(data, self._exams[lab_id], self._launch)
        except OSError as problem:
            self._look_at_itself(address)
            raise RuntimeError(f"worker {address}: {problem}") from problem  # its disk is full, or the like, not ours
        if result.status == "could_not_grade":
            self._look_at_itself(address)
        return result

    def _look_at_itself(self, address: str) -> None:
        if self._sandbox:
            try:
                probe(self._root)
            except (CouldNotLaunch, OSError) as problem:
                raise UnfitWorker(address, str(problem)) from problem

    def _furnish(self) -> None:
        self._root = Path(self._belongings.enter_context(tempfile.TemporaryDirectory(prefix="admit-one-")))
        for name, data in self._files.items():
            (self._root / name).parent.mkdir(parents=True, exist_ok=True)
            (self._root / name).write_bytes(data)
        course = Course(self._root)
        self._exams = {lab_id: read_exam(course, lab_id) for lab_id in self._versions}
        if self._versions != {lab_id: lab_version(course, exam.lab) for lab_id, exam in self._exams.items()}:
            raise ClusterUnavailable("it has another version of this kit: install the same")
        self._launch = self._belongings.enter_context(open_launcher(self._root, sandbox=self._sandbox))


def grade_on_worker(name: str, lab_id: str, data: bytes) -> Result:
    """Runs on a worker, which has a Desk; a worker that dies leaves its notebook to another."""
    worker = get_worker()
    desk = worker.plugins.get(name)
    if desk is None:  # the scheduler brings it to every worker
        raise ClusterUnavailable(f"the Dask scheduler at {worker.scheduler.address} was started anew; {GO_ON}")
    assert isinstance(desk, Desk)
    return desk.grade(worker.address, lab_id, data)


@contextmanager
def cluster(address: str, course: Course, lab_ids: set[str], *, sandbox: bool) -> Iterator[Pool]:
    """Compute on the cluster whose scheduler answers at ``address``.

    Raises ClusterUnavailable: at the start, where no worker is there or one cannot grade, and on the way, where the
    cluster is lost.
    """
    labs = {lab_id: read_course_lab(course, lab_id) for lab_id in lab_ids}
    files = {name: path.read_bytes() for lab in labs.values() for name, path in files_of_lab(course, lab).items()}
    versions = {lab_id: lab_version(course, lab) for lab_id, lab in labs.items()}
    with connect(address) as client, ExitStack() as stack:
        _forget_ended_runs(client)
        desk = Desk(f"{_NAME}{client.id}", files, versions, sandbox=sandbox)
        stack.callback(_take_away, client, desk.name)
        _bring(client, address, desk)
        workers = stack.enter_context(Workers(client, address))
        yield Pool(workers, functools.partial(grade_on_worker, desk.name), workers.width)


def _bring(client: Client, address: str, desk: Desk) -> None:
    try:
        client.sync(client.register_plugin, desk, callback_timeout=PATIENCE_S)
    except ClusterUnavailable:
        raise
    except TimeoutError as problem:
        raise ClusterUnavailable(f"a worker at {address} was not ready within {PATIENCE_S:g} s") from problem
    except Exception as problem:
        raise ClusterUnavailable(
            f"a worker at {address} is without this kit: install it there ({problem})"
        ) from problem


def _take_away(client: Client, name: str) -> None:
    if client.status == "running":
        with suppress(Exception):  # from workers that are gone there is nothing to take
            client.sync(client.unregister_worker_plugin, name, callback_timeout=CONNECT_S)


def _forget_ended_runs(client: Client) -> None:
    """A run that was killed has left its files with the workers; its client is gone."""
    names, clients = client.run_on_scheduler(
        lambda dask_scheduler: [[*dask_scheduler.worker_plugins], [*dask_scheduler.clients]]
    )
    for name in names:
        if name.startswith(_NAME) and name.removeprefix(_NAME) not in clients:
            _take_away(client, name)
