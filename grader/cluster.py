"""Computes results on a Dask cluster: the same function as here, in a sandbox on the worker (docs/cluster.md).

Workers have the kit installed and nothing of the course. A plug-in (grader.desk) brings them what grading needs,
hidden cases too, and takes it away when the run ends; what a task carries is one notebook.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from distributed import Client

from grader.classroom import Pool
from grader.course import Course
from grader.dask_workers import CONNECT_S, PATIENCE_S, ClusterUnavailable, Workers, connect
from grader.desk import Desk, grade_on_worker
from grader.exam import files_of_lab
from grader.room import read_course_lab
from grader.submission import lab_version

_NAME = "admit-one-"


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
    except OSError as problem:
        raise ClusterUnavailable(f"the Dask scheduler at {address} is gone ({problem})") from problem
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
