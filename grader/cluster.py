"""Computes results on a Dask cluster: the same function as here, in a sandbox on the worker (docs/cluster.md).

Workers have the kit installed and nothing of the course. A plug-in brings them what grading needs, hidden cases too,
and takes it away when the run ends; what a task carries is one notebook.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from distributed import Client, WorkerPlugin, get_worker

from grader.classroom import Pool, open_launcher
from grader.course import Course
from grader.exam import files_of_lab, read_course_lab, read_exam
from grader.launch import CouldNotLaunch
from grader.results import Result
from grader.submission import grade_with_retry, lab_version

_PATIENCE_S = 20


class ClusterUnavailable(CouldNotLaunch):
    """The cluster cannot grade: the message says why."""


class Desk(WorkerPlugin):
    """What a worker grades with: the labs' files in a folder that only it can read, and its own sandboxes."""

    name = "admit-one"

    def __init__(self, files: dict[str, bytes], versions: dict[str, str], *, sandbox: bool) -> None:
        self._files = files
        self._versions = versions
        self._sandbox = sandbox

    def setup(self, worker: Any) -> None:
        with ExitStack() as belongings:
            root = Path(belongings.enter_context(tempfile.TemporaryDirectory(prefix="admit-one-")))
            for name, data in self._files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(data)
            self._course = Course(root)
            self._exams = {lab_id: read_exam(self._course, lab_id) for lab_id in self._versions}
            if self._versions != {lab_id: lab_version(self._course, exam.lab) for lab_id, exam in self._exams.items()}:
                raise ClusterUnavailable(f"worker {worker.address} has another version of this kit: install the same")
            self._launch = belongings.enter_context(open_launcher(root, sandbox=self._sandbox))
            self._belongings = belongings.pop_all()

    def teardown(self, worker: Any) -> None:
        self._belongings.close()

    def grade(self, lab_id: str, data: bytes) -> Result:
        return grade_with_retry(data, self._exams[lab_id], self._launch)


def grade_on_worker(lab_id: str, data: bytes) -> Result:
    """Runs on a worker, which has a Desk; a worker that dies leaves its notebook to another."""
    desk = get_worker().plugins[Desk.name]
    assert isinstance(desk, Desk)
    return desk.grade(lab_id, data)


@contextmanager
def cluster(address: str, course: Course, lab_ids: set[str], *, sandbox: bool) -> Iterator[Pool]:
    """Compute on the cluster whose scheduler answers at ``address``; raises ClusterUnavailable.

    Raises SandboxUnavailable where a worker has no sandbox.
    """
    labs = {lab_id: read_course_lab(course, lab_id) for lab_id in lab_ids}
    files = {name: path.read_bytes() for lab in labs.values() for name, path in files_of_lab(course, lab).items()}
    versions = {lab_id: lab_version(course, lab) for lab_id, lab in labs.items()}
    try:
        client = Client(address, timeout=_PATIENCE_S)
    except (OSError, ValueError) as problem:
        raise ClusterUnavailable(
            f"no Dask scheduler answers at {address}: is dask scheduler running there?"
        ) from problem
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE_S)
        except TimeoutError as problem:
            raise ClusterUnavailable(
                f"the cluster at {address} has no workers: start dask worker {address}"
            ) from problem
        client.register_plugin(Desk(files, versions, sandbox=sandbox))
        try:
            yield Pool(client.get_executor(pure=False), grade_on_worker, sum(client.nthreads().values()))
        finally:
            client.unregister_worker_plugin(Desk.name)
