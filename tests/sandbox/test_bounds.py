"""What student code can fill, use up and outlive: nothing past its bounds."""

from __future__ import annotations

import psutil
import pytest

from grader.asker import RoomClosed
from grader.bounds import MIB, Bounds
from tests.sandbox.visit import Visit, Visiting

MEMORY_ROADS = {
    "objects": """
import time
held = []
while True:
    held.append(bytearray(b"x" * 8_000_000))
    time.sleep(0.005)
""",
    "a private mapping": """
import mmap, time
held = []
while True:
    one = mmap.mmap(-1, 8_000_000, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    one.write(b"x" * 8_000_000)
    held.append(one)
    time.sleep(0.005)
""",
    "forks, each with a part": """
import os, time
for _ in range(12):
    if os.fork() == 0:
        held = bytearray(b"x" * 64_000_000)
        time.sleep(60)
time.sleep(60)
""",
    "shared memory that others touched and left": """
import mmap, os, time
held = []
for _ in range(12):
    held.append(mmap.mmap(-1, 64_000_000))
    if os.fork() == 0:
        held[-1].write(b"x" * 64_000_000)
        os._exit(0)
    os.wait()
time.sleep(60)
""",
}


@pytest.mark.parametrize("source", MEMORY_ROADS.values(), ids=MEMORY_ROADS)
def test_memory_of_the_whole_tree_is_bounded(visit: Visiting, source: str) -> None:
    with visit() as inside, pytest.raises(RoomClosed, match="512 MiB of memory") as closed:
        inside.run(source, seconds=10)
    assert closed.value.status == "crashed"


def test_forks_that_share_their_pages_are_not_counted_twice(inside: Visit) -> None:
    source = """
import os, time
held = bytearray(b"x" * 150_000_000)
children = []
for _ in range(5):
    child = os.fork()
    if child == 0:
        time.sleep(0.4)
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
print("done")
"""
    assert inside.run(source).strip() == "done"


def test_one_process_gets_an_error_at_its_address_space(inside: Visit) -> None:
    source = "try: bytearray(2_000_000_000)\nexcept MemoryError: print('MemoryError')"
    assert inside.run(source).strip() == "MemoryError"


def test_memory_that_no_process_shows_cannot_be_made(inside: Visit) -> None:
    source = """
import ctypes, os
try:
    os.memfd_create("hidden")
except OSError as refused:
    print(type(refused).__name__)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(0, 4096, 0o1600), libc.semget(0, 1, 0o1600), libc.msgget(0, 0o1600))
"""
    assert inside.run(source).split() == ["PermissionError", "-1", "-1", "-1"]


def test_what_waits_in_sockets_is_bounded(visit: Visiting) -> None:
    """Sent and not received, it is in the memory of no process."""
    source = """
import os, socket, time
for _ in range(8):
    if os.fork() == 0:
        pairs = []
        while len(pairs) < 50:
            pairs.append(socket.socketpair())
        time.sleep(30)
        os._exit(0)
time.sleep(30)
"""
    with visit() as inside, pytest.raises(RoomClosed, match="more than 256 sockets"):
        inside.run(source)


def test_sixteen_threads_work_under_the_address_space_limit(inside: Visit) -> None:
    source = """
import json, threading
done = []
def work():
    done.append(len(json.dumps([list(range(2000)) for _ in range(50)])))
threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(done))
"""
    assert inside.run(source, seconds=10).strip() == "16"


def test_the_disk_is_bounded_in_all_folders_together(inside: Visit) -> None:
    source = """
written = 0
for folder in ("/tmp", "/room", "/dev/shm"):
    for number in range(40):
        try:
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                for _ in range(10):
                    written += file.write(b"x" * 100_000)
        except OSError:
            break
print(written)
"""
    written = int(inside.run(source))
    assert 8 * MIB < written <= Bounds().disk


def test_the_number_of_files_is_bounded(visit: Visiting) -> None:
    source = """
import time
for number in range(100_000):
    open(f"/tmp/{number}", "w").close()
    if number % 200 == 0:
        time.sleep(0.005)
"""
    with visit() as inside, pytest.raises(RoomClosed, match="4096 files"):
        inside.run(source, seconds=10)


def test_a_fork_bomb_stops_at_the_bound_and_leaves_nothing(visit: Visiting) -> None:
    source = """
import os, time
started = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(60)
    except BlockingIOError:
        break
    started += 1
print(started)
"""
    with visit() as inside:
        assert int(inside.run(source)) < Bounds().processes
    with visit() as inside:
        assert inside.value("len([name for name in os.listdir('/proc') if name.isdigit()])", "import os") == 2


def test_a_fork_bomb_that_goes_on_is_ended(visit: Visiting) -> None:
    source = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    with visit() as inside, pytest.raises(RoomClosed) as closed:
        inside.run(source, seconds=1)
    assert closed.value.status in ("timed_out", "tampered")  # forks of the runner itself may speak on its socket


@pytest.mark.parametrize(
    "source",
    [
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except OSError: pass\n"
        "while True: pass",
        "import time\ntime.sleep(1000)",
    ],
    ids=["stops itself", "swallows interrupts", "ignores signals", "sleeps"],
)
def test_what_does_not_end_is_ended(visit: Visiting, source: str) -> None:
    with visit() as inside, pytest.raises(RoomClosed) as closed:
        inside.run(source, seconds=0.5)
    assert closed.value.status == "timed_out"


def test_an_orphan_in_a_session_of_its_own_does_not_outlive_the_run(visit: Visiting) -> None:
    source = """
import os, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/usr/bin/sleep", ["sleep", "98765.4"])
    os._exit(0)
os.wait()
subprocess.Popen(["sleep", "98765.4"], start_new_session=True)
"""
    with visit() as inside:
        inside.run(source)
        assert inside.value("[n for n in os.listdir('/proc') if n.isdigit()].__len__()", "import os") == 4
    assert not [one for one in psutil.process_iter(["cmdline"]) if "98765.4" in (one.info["cmdline"] or ())]


def test_who_takes_long_is_kept_to_one_processor(visit: Visiting) -> None:
    """With a session each, 60 spinning processes would get 60 times an honest neighbour's share of the machine."""
    source = """
import hashlib, os, signal, threading, time
spinners = []
for _ in range(4):
    if (pid := os.fork()) == 0:
        os.setsid()
        if os.fork():
            threading.Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"", b"", 10**9), daemon=True).start()
        while True:
            pass
time.sleep(2)
threads = [int(thread) for pid in os.listdir("/proc") if pid.isdigit() and pid != "1"
           for thread in os.listdir(f"/proc/{pid}/task")]
print(len(threads), {len(os.sched_getaffinity(thread)) for thread in threads})
"""
    with visit() as inside:
        assert inside.run(source) == "13 {1}\n"


def test_nobody_chooses_a_processor(visit: Visiting) -> None:
    with visit() as inside, pytest.raises(AssertionError, match="PermissionError"):
        inside.run("import os\nos.sched_setaffinity(0, os.sched_getaffinity(0))")


def test_output_without_end_costs_no_more_than_its_bound(visit: Visiting) -> None:
    with visit() as inside:
        heard = inside.hear({"op": "cell", "source": "print('x' * 50_000_000)"})
    assert len(heard.output) == MIB


def test_effects_without_end_are_bounded(visit: Visiting) -> None:
    source = """
import gc
from grader.runner import RemoteLedger
ledger = next(thing for thing in gc.get_objects() if isinstance(thing, RemoteLedger))
while True:
    ledger.apply("key", "SKU-1", 1)
"""
    with visit() as inside, pytest.raises(RoomClosed, match="ledger"):
        inside.run(source, seconds=20)


def test_no_user_or_other_namespace_can_be_made(inside: Visit) -> None:
    source = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.unshare(0x10000000), libc.unshare(0x00020000))
print(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
flags = 0x10000000 | 17  # CLONE_NEWUSER and SIGCHLD
print(libc.syscall(56 if os.uname().machine == "x86_64" else 220, flags, 0, 0, 0, 0))
"""
    assert inside.run(source).split() == ["-1"] * 4
