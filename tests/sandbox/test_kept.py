"""A kept sandbox: each notebook finds it as the first one did, or finds another one."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import psutil
import pytest

from grader.asker import Asker, RoomClosed
from grader.bounds import Bounds
from grader.launch import Furniture, Launch
from grader.sandbox import sandboxes
from tests.sandbox.visit import Visit, Visiting
from tests.solved import ROOT

SANDBOX = "[os.stat('/proc/self/ns/pid').st_ino, open('/proc/1/stat').read().split()[21]]"
"""Inside: what tells one sandbox from another, its namespace's number and the time its first process started."""

STATE = """
import os
from pathlib import Path

def listing(folder):
    return sorted(str(path) for path in Path(folder).rglob("*"))

def state():
    return {
        "files": listing("/tmp") + listing("/dev/shm") + listing("/room"),
        "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
        "sockets": sorted(line.split()[-1] for line in open("/proc/net/unix") if "@" in line),
        "listening": [line for line in open("/proc/net/tcp") if " 0A " in line],
        "shared": [len(open(f"/proc/sysvipc/{kind}").readlines()) for kind in ("shm", "sem", "msg")],
        "keys": len(open("/proc/keys").readlines()) if os.path.exists("/proc/keys") else 0,
        "limits": open("/proc/1/limits").read(),
        "nice": os.getpriority(os.PRIO_PROCESS, 1),
        "processors": sorted(os.sched_getaffinity(1)),
    }
"""

LEAVE_EVERYTHING = """
import ctypes, os, socket, subprocess, multiprocessing.shared_memory, sys
from pathlib import Path
for folder in ("/tmp", "/dev/shm", "/room"):
    deep = Path(folder, ".hidden", *"abcdef")
    deep.mkdir(parents=True)
    (deep / "note").write_text("for the next one")
    os.symlink("/room/data/lab.toml", f"{folder}/link")
    os.mkfifo(f"{folder}/pipe")
held = multiprocessing.shared_memory.SharedMemory("note", create=True, size=4096)
abstract = socket.socket(socket.AF_UNIX); abstract.bind("\\0for-the-next-one"); abstract.listen()
tcp = socket.create_server(("127.0.0.1", 8088))
subprocess.Popen(["sleep", "1000"], start_new_session=True, pass_fds=[abstract.fileno(), tcp.fileno()])
libc = ctypes.CDLL(None, use_errno=True)
print(libc.mq_open(b"/note", os.O_CREAT | os.O_RDWR, 0o600, None))
print(libc.syscall({"x86_64": 248}.get(os.uname().machine, 217), b"user", b"note", b"x", 1, -4))
"""


@pytest.fixture
def sandbox_of(visit: Visiting) -> Any:
    """Call it for what tells the next visit's sandbox from others."""

    def look() -> Any:
        with visit() as inside:
            return inside.value(SANDBOX, "import os")

    return look


def test_a_sandbox_serves_one_notebook_after_another(sandbox_of: Any) -> None:
    assert sandbox_of() == sandbox_of()


def test_two_at_a_time_never_share_one(visit: Visiting) -> None:
    with visit() as first, visit() as second:
        assert first.value(SANDBOX, "import os") != second.value(SANDBOX, "import os")


def test_one_that_knew_a_hidden_input_never_serves_where_output_shows(launch: Launch, room: Furniture) -> None:
    def look(is_hidden: bool) -> Any:
        asker = Asker(launch(room, is_hidden), Bounds())
        try:
            return Visit(asker).value(SANDBOX, "import os")
        finally:
            asker.close()

    shown, hidden = look(False), look(True)
    assert shown != hidden
    assert (look(False), look(True)) == (shown, hidden)


def test_nothing_is_left_between_two_notebooks_of_one_sandbox(visit: Visiting) -> None:
    with visit() as inside:
        before = inside.value(f"[{SANDBOX}, state()]", STATE)
        assert inside.run(LEAVE_EVERYTHING).split() == ["-1", "-1"]
        assert inside.value("state()", STATE) != before[1]
    with visit() as inside:
        assert inside.value(f"[{SANDBOX}, state()]", STATE) == before


@pytest.mark.parametrize(
    "change",
    [
        "os.setpriority(os.PRIO_PROCESS, 1, 10)",
        "os.sched_setaffinity(1, [sorted(os.sched_getaffinity(1))[0]])",
        "resource.prlimit(1, resource.RLIMIT_DATA, (10_000_000, 10_000_000))",
        "resource.prlimit(1, resource.RLIMIT_NPROC, (2, 2))",
    ],
)
def test_what_changes_the_first_process_does_not_reach_the_next_notebook(visit: Visiting, change: str) -> None:
    with visit() as inside:
        before = inside.value("state()", STATE)
        inside.run(f"import os, resource\ntry: {change}\nexcept OSError: pass")
    with visit() as inside:
        assert inside.value("state()", STATE) == before


def test_what_cannot_be_wiped_costs_the_sandbox(visit: Visiting, sandbox_of: Any) -> None:
    with visit() as inside:
        before = inside.value(SANDBOX, "import os")
        inside.run("import os; os.makedirs('closed/in'); os.chmod('closed', 0)")  # in its room, which is writable
    assert sandbox_of() != before


def test_a_run_that_ended_badly_costs_the_sandbox(visit: Visiting, sandbox_of: Any) -> None:
    before = sandbox_of()
    with visit() as inside, pytest.raises(RoomClosed, match="died"):
        inside.run("import os; os._exit(0)")
    assert sandbox_of() != before


@pytest.mark.parametrize("number", [1, 2, 9, 10, 15, 17, 19])
def test_no_signal_from_inside_reaches_the_first_process(visit: Visiting, sandbox_of: Any, number: int) -> None:
    before = sandbox_of()
    with visit() as inside:
        inside.run(f"import os; os.kill(1, {number}); os.kill(os.getppid(), {number})")
    assert sandbox_of() == before


def test_the_first_process_cannot_be_traced_or_read(inside: Visit) -> None:
    source = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, 1, 0, 0), libc.ptrace(0x4206, 1, 0, 0))
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
mine = ctypes.create_string_buffer(8)
here, there = Part(ctypes.addressof(mine), 8), Part(ctypes.addressof(mine), 8)
print(libc.process_vm_readv(1, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
"""
    assert inside.run(source).split() == ["-1"] * 3


def test_a_notebook_gets_its_own_three_descriptors_and_no_other(inside: Visit) -> None:
    """Standard input and output, the two sockets, and the folder that is being listed."""
    kinds = "[os.readlink(f'/proc/self/fd/{fd}').partition(':')[0] for fd in sorted(os.listdir('/proc/self/fd'))[:-1]]"
    assert inside.value(kinds, "import os") == ["/dev/null", "pipe", "pipe", "socket", "socket"]


def test_an_interrupt_at_the_terminal_is_not_the_death_of_a_students_code(inside: Visit) -> None:
    started = _started()
    assert started
    assert all(os.getpgid(one.pid) != os.getpgid(0) for one in started)


def test_everything_ends_with_the_last_use(room: Furniture) -> None:
    with ExitStack() as stack:
        launcher = stack.enter_context(sandboxes(ROOT))
        child = launcher(room, False)
        assert _sandboxes_running() >= 1
        before = _sandboxes_running()
        child.close(went_well=True)
    assert _sandboxes_running() < before


def test_two_workers_share_one_sandbox_while_notebooks_are_quick(
    room: Furniture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.sandbox._PATIENCE_S", 60)
    before = len(_started())
    with sandboxes(ROOT, first=room, workers=2) as launcher, ThreadPoolExecutor(1) as other:
        one = launcher(room, False)
        two = other.submit(launcher, room, False)
        one.close(went_well=True)
        two.result().close(went_well=True)
        assert len(_started()) - before == 2  # the other one is for second passes


def test_a_notebook_that_takes_long_keeps_no_other_waiting(room: Furniture) -> None:
    before = len(_started())
    with sandboxes(ROOT, workers=2) as launcher:
        hangs, other = launcher(room, False), launcher(room, False)
        assert len(_started()) - before == 2
        for child in (hangs, other):
            child.close(went_well=True)


def test_what_ends_badly_makes_room_for_another(room: Furniture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.sandbox._PATIENCE_S", 60)
    before = len(_started())
    with sandboxes(ROOT, workers=2) as launcher:
        for _ in range(3):
            launcher(room, False).close(went_well=False)
        launcher(room, False).close(went_well=True)
        assert len(_started()) - before == 1


def _started() -> list[psutil.Process]:
    return [one for one in psutil.Process().children() if one.name() == "bwrap"]


def _sandboxes_running() -> int:
    return sum("grader.zygote" in _command(one) for one in psutil.Process().children(recursive=True))


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:  # it has ended meanwhile
        return []
