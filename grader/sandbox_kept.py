"""One sandbox that is kept from notebook to notebook: how it starts, forks a child, is wiped and is ended."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pwd
import secrets
import select
import signal
import socket
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from grader.bounds import Bounds
from grader.launch import Child, Furniture, Wires, furnish
from grader.sandbox_filter import UnknownMachine, system_call_filter
from grader.sandbox_share import LongRun
from grader.sandbox_trouble import OWN_RISK, SandboxEnded, SandboxUnavailable, explain, find_bwrap
from grader.sandbox_usage import Gauge
from grader.sandbox_view import View, bwrap_options
from grader.zygote import FORK, FORKED, WIPE

_ANSWER_S = 5.0
_ENDING_S = 0.3
_HOSTS = "127.0.0.1 localhost\n::1 localhost\n"
_SETPRIV = "/usr/bin/setpriv"
_DROP = ("--clear-groups", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all")
_UIDS = range(61184, 65520)
"""Where systemd, too, takes ids for services that have no account."""
_uid_places = itertools.count(secrets.randbelow(len(_UIDS)))


@dataclass(frozen=True)
class Sandbox:
    """A running sandbox: its first process (pid and pidfd), the socket to it, a look at what it holds, what ends it."""

    files: Furniture
    pid: int
    first_process: int
    control: socket.socket
    gauge: Gauge
    belongings: contextlib.ExitStack

    def fork(self, give_back: Callable[[Sandbox, bool], None]) -> Child:
        """A child for one notebook; ``give_back`` hears when it has been closed, and whether it went well."""
        wires = Wires.lay()
        try:
            socket.send_fds(self.control, [FORK], wires.inner_fds)
            answer = self.control.recv(1024)
        except OSError as gone:
            wires.close_outer()
            raise SandboxEnded(f"it does not answer: {gone}") from gone
        finally:
            wires.close_inner()
        if answer != FORKED:
            wires.close_outer()
            raise SandboxEnded(answer.decode("utf-8", "replace") or "it is gone")
        run = LongRun(self.pid)

        def excess(bounds: Bounds) -> str:
            run.watch(bounds)
            return self.gauge.excess(bounds)

        def end(went_well: bool) -> None:
            run.end()
            give_back(self, went_well)

        return Child(wires.control, wires.ledger, wires.output, excess=excess, is_cut_off=self.has_ended, end=end)

    def has_ended(self) -> bool:
        """Somebody outside killed it. Its processes die first, and then the first process: so wait a little."""
        ended, _, _ = select.select([self.first_process], [], [], _ENDING_S)
        return bool(ended)

    def wipe(self) -> bool:
        """Kill all but the first process and empty the folders; True where nothing is left behind."""
        try:
            self.control.send(WIPE)
            return self.control.recv(4096) == b"[]"
        except OSError:
            return False

    def kill(self) -> None:
        """End everything in it, from whatever thread; who has it hears that it is cut off, and stops it."""
        _kill(self.first_process)

    def stop(self) -> None:
        """End everything in it, at once and whatever it does, and let go of it."""
        self.belongings.close()


def start_sandbox(view: View, files: Furniture, *, bounds: Bounds, starter: Executor) -> Sandbox:
    """Start a sandbox whose /room holds ``files``, from a thread of ``starter``; raises SandboxUnavailable."""
    control, inner_control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    status, inner_status = _pipe()
    rules, inner_rules = _pipe()
    with contextlib.ExitStack() as belongings, status, tempfile.TemporaryFile() as said:
        belongings.enter_context(control)
        with inner_control, inner_status, rules, inner_rules:
            folder = Path(belongings.enter_context(tempfile.TemporaryDirectory(prefix="admit-one-")))
            _furnish(folder, files)
            inner_rules.write(_system_call_filter())
            inner_rules.close()
            fds = (inner_control.fileno(), rules.fileno(), inner_status.fileno())
            command = [
                *(find_bwrap(), *bwrap_options(view, folder, bounds, is_root=_is_root())),
                *("--seccomp", str(fds[1]), "--json-status-fd", str(fds[2])),
                *(*_drop_rights(), str(view.interpreter), "-P", "-m", "grader.zygote", str(fds[0]), *_drivers(files)),
            ]
            bwrap = starter.submit(_popen, command, fds, said.fileno()).result()
        belongings.callback(bwrap.wait)
        try:
            pid = _first_process(status, bounds.start_s)
            handle = os.pidfd_open(pid)
            belongings.callback(os.close, handle)
            belongings.callback(_kill, handle)
            faults = _faults(control, bounds.start_s)
        except BaseException as ended:
            bwrap.kill()  # or leaving would wait for it
            bwrap.wait()
            if not isinstance(ended, (SandboxEnded, OSError, ValueError)):
                raise
            said.seek(0)
            raise explain(said.read().decode("utf-8", "replace") or str(ended)) from ended
        if faults:
            raise SandboxUnavailable(f"no sandbox: on this machine it does not hold, {'; '.join(faults)}; {OWN_RISK}")
        control.settimeout(_ANSWER_S)
        gauge = Gauge.open(pid)
        belongings.callback(gauge.close)
        return Sandbox(files, pid, handle, control, gauge, belongings.pop_all())


def _popen(command: list[str], fds: Sequence[int], said: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env={},
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=said,
        pass_fds=fds,
        start_new_session=True,  # Ctrl-C is for the run, which ends its sandboxes itself
    )


def _pipe() -> tuple[FileIO, FileIO]:
    reader, writer = os.pipe()
    return FileIO(reader, "r"), FileIO(writer, "w")


def _furnish(folder: Path, files: Furniture) -> None:
    """Write the room's files where bubblewrap finds them; another user must be able to read them."""
    (folder / "hosts").write_text(_HOSTS)
    (folder / "room").mkdir()
    furnish(folder / "room", files)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _system_call_filter() -> bytes:
    try:
        return system_call_filter()
    except UnknownMachine as unknown:
        raise SandboxUnavailable(f"no sandbox: {unknown}; {OWN_RISK}") from unknown


def _is_root() -> bool:
    return os.geteuid() == 0


def _drop_rights() -> tuple[str, ...]:
    """What root's command starts with: from here on it is a user without an account, and without any right."""
    if not _is_root():
        return ()
    uid = str(_free_uid())
    return (_SETPRIV, "--reuid", uid, "--regid", uid, *_DROP)


def _free_uid() -> int:
    """An id that no account has and no process runs under; each sandbox of this run gets another."""
    accounts = {account.pw_uid for account in pwd.getpwall()}
    running = set(_users_of_processes())
    while True:
        uid = _UIDS[next(_uid_places) % len(_UIDS)]
        if uid not in accounts | running:
            return uid


def _users_of_processes() -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError):  # it has ended meanwhile
            yield process.stat().st_uid


def _drivers(files: Furniture) -> list[str]:
    """The lab's driver module, to be loaded before any notebook."""
    described = files.get("data/lab.toml")
    return [f"lab{tomllib.loads(described.decode())['number']}"] if described else []


def _first_process(status: FileIO, timeout_s: float) -> int:
    """The pid, as we see it, of the namespace's first process: bubblewrap's first words."""
    is_there, _, _ = select.select([status], [], [], timeout_s)
    line = status.readline() if is_there else b""
    if not line:
        raise SandboxEnded("bubblewrap started nothing")
    return int(json.loads(line)["child-pid"])


def _faults(control: socket.socket, timeout_s: float) -> list[str]:
    """What the first process found wrong with its surroundings."""
    control.settimeout(timeout_s)
    message = control.recv(1 << 16)
    if not message:
        raise SandboxEnded("the sandbox's first process ended at once")
    return [str(fault) for fault in json.loads(message)]


def _kill(handle: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)
