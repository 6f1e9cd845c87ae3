"""What a Dask worker grades with: the run brings it as a plug-in, and takes it away when it ends (grader.cluster).

A worker that unpickles it imports this module; the rest of the kit is imported when the worker is furnished, as the
command does it, without what is slow to load.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributed import WorkerPlugin, get_worker

from grader.dask_workers import GO_ON, ClusterUnavailable, UnfitWorker
from grader.launch import CouldNotLaunch
from grader.quick_start import leave_out_slow_imports

if TYPE_CHECKING:
    from grader.results import Result


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
        from grader.submission import grade_with_retry

        try:
            result = grade_with_retry(data, self._exams[lab_id], self._launch)
        except OSError as problem:
            self._look_at_itself(address)
            raise RuntimeError(f"worker {address}: {problem}") from problem  # its disk is full, or the like, not ours
        if result.status == "could_not_grade":
            self._look_at_itself(address)
        return result

    def _look_at_itself(self, address: str) -> None:
        from grader.sandbox import probe

        if self._sandbox:
            try:
                probe(self._root)
            except (CouldNotLaunch, OSError) as problem:
                raise UnfitWorker(address, str(problem)) from problem

    def _furnish(self) -> None:
        leave_out_slow_imports()
        from grader.course import Course
        from grader.exam import read_exam
        from grader.launcher import open_launcher
        from grader.submission import lab_version

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
