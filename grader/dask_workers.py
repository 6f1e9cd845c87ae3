"""The way to a Dask cluster's workers: reaches the scheduler, hands out calls, and notices when the cluster is lost.

A worker that turns out unable to compute is passed by. A cluster that is lost ends all that is under way with one
line, so that the run can end too and go on elsewhere (spec 4, the class).
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, ParamSpec, TypeVar

from distributed import Client, Security
from distributed.core import rpc

from grader.launch import CouldNotLaunch

P = ParamSpec("P")
T = TypeVar("T")

CONNECT_S = 10.0
"""How long to look for the scheduler, and then for a worker."""
PATIENCE_S = 60.0
"""How long nobody may answer on the way: a worker that was killed is often started again."""
GO_ON = "what is graded is kept, the same command goes on"
_LOOK_S = 1.0
_LOGS = ("distributed", "distributed.client")


class ClusterUnavailable(CouldNotLaunch):
    """The cluster cannot grade: the message says why."""


class UnfitWorker(Exception):
    """Raised by a call where the worker at ``address`` cannot compute it and another might; ``why`` is for people."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(address, why)  # what unpickles it
        self.address = address
        self.why = why


@contextmanager
def connect(address: str) -> Iterator[Client]:
    """A client of the scheduler at ``address``, which has a worker; raises ClusterUnavailable."""
    with _quiet():
        # A client waits for ever on a port where something else listens, and takes some addresses amiss: so ask first.
        try:
            asyncio.run(asyncio.wait_for(_greet(address), CONNECT_S))
        except TimeoutError:
            silent = f"no Dask scheduler answers at {address}: is dask scheduler running there?"
            raise ClusterUnavailable(silent) from None
        except Exception as problem:
            raise ClusterUnavailable(f"no Dask scheduler at {address}: {' '.join(str(problem).split())}") from problem
        with Client(address, timeout=CONNECT_S, set_as_default=False) as client:
            try:
                client.wait_for_workers(1, timeout=CONNECT_S)
            except TimeoutError:
                empty = f"the cluster at {address} has no workers: start dask worker {address}"
                raise ClusterUnavailable(empty) from None
            yield client


async def _greet(address: str) -> None:
    async with rpc(address, connection_args=Security().get_connection_args("client")) as scheduler:
        found = (await scheduler.identity())["type"]
    if found != "Scheduler":
        raise ClusterUnavailable(f"what answers is a {found}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask logs a traceback where a connection is lost; the run says it in one line."""
    loggers = [logging.getLogger(name) for name in _LOGS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class Workers(concurrent.futures.Executor):
    """Computes calls on the workers that are fit; where the cluster is lost, each raises ClusterUnavailable."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address
        self._threads: dict[str, int] = {}
        self._unfit: dict[str, str] = {}
        self._loop: asyncio.AbstractEventLoop = client.loop.asyncio_loop  # type: ignore[union-attr]
        client.sync(self._begin)

    def submit(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> concurrent.futures.Future[T]:
        whole = functools.partial(call, *args, **kwargs)
        return asyncio.run_coroutine_threadsafe(self._compute(whole), self._loop)

    def width(self) -> int:
        """Calls that are computed at a time, by the workers that are there now; 1 where one is waited for."""
        return sum(self._fit().values()) or 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._loop.call_soon_threadsafe(self._watching.cancel)

    async def _begin(self) -> None:
        await self._look()
        self._watching = asyncio.create_task(self._watch())
        self._watching.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # or asyncio logs it

    async def _look(self) -> None:
        self._threads = await self._client.nthreads()

    def _fit(self) -> dict[str, int]:
        return {address: threads for address, threads in self._threads.items() if address not in self._unfit}

    async def _watch(self) -> NoReturn:
        """Ends with ClusterUnavailable, where the scheduler is gone or nobody has been there to compute for long."""
        last = time.monotonic()
        while self._client.status == "running":
            try:
                await asyncio.wait_for(self._look(), PATIENCE_S)
            except TimeoutError:
                raise ClusterUnavailable(f"the Dask scheduler at {self._address} does not answer; {GO_ON}") from None
            except OSError:  # where the scheduler is gone, the client's status says so next
                self._threads = {}
            if self._fit():
                last = time.monotonic()
            elif time.monotonic() - last > PATIENCE_S:
                raise ClusterUnavailable(f"{self._nobody()}; {GO_ON}")
            await asyncio.sleep(_LOOK_S)
        raise ClusterUnavailable(f"the Dask scheduler at {self._address} is gone; {GO_ON}")

    def _nobody(self) -> str:
        for address, why in self._unfit.items():
            if address in self._threads:
                return f"no worker at {self._address} can grade any more; worker {address}: {why}"
        return f"no worker is left at {self._address}: start dask worker {self._address}"

    async def _compute(self, call: Callable[[], T]) -> T:
        while True:
            work = asyncio.create_task(self._on_a_worker(call))
            try:
                done, _ = await asyncio.wait((work, self._watching), return_when=asyncio.FIRST_COMPLETED)
            finally:
                work.cancel()
            if work not in done:
                self._watching.result()
            try:
                return work.result()
            except UnfitWorker as unfit:
                self._unfit[unfit.address] = unfit.why
            except (asyncio.CancelledError, concurrent.futures.CancelledError):
                await asyncio.sleep(_LOOK_S)  # the scheduler is gone, and the watch will say so, or was cleared

    async def _on_a_worker(self, call: Callable[[], T]) -> T:
        where: dict[str, Any] = {}
        if self._unfit:
            while not (fit := self._fit()):
                await asyncio.sleep(_LOOK_S)
            where = {"workers": sorted(fit), "allow_other_workers": True}
        result: T = await self._client.submit(call, pure=False, **where)
        return result
