"""The hostile class, 2: code that breaks, hangs, grows and pries. Each stands in a notebook that is solved otherwise.

What it does happens in a cell of its own, so the marks of all the rest must stay.
"""

from __future__ import annotations

from tests.hostile.attacks import LAB1, LAB4, STASH, STASH_SHOWN_LATER, Attack

FULL = 20


def breaker(name: str, first: str, *status: str, lab_id: str = LAB4) -> Attack:
    return Attack(name, lab_id, first=first, solved=True, status=status or ("graded",), points=FULL)


BREAKERS = [
    breaker("exits at once", "import os\nos._exit(0)", "crashed"),
    breaker("exits as a program would", "raise SystemExit(3)"),
    breaker("kills itself", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "crashed"),
    breaker("falls into the C library", "import ctypes\nctypes.string_at(0)", "crashed"),
    breaker(
        "recurses without end", "import sys\nsys.setrecursionlimit(10**9)\nf = lambda: f()\nf()", "crashed", "graded"
    ),
    breaker(
        "hangs and swallows interrupts",
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
        "timed_out",
    ),
    breaker("stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", "timed_out"),
    breaker(
        "sleeps, all signals ignored",
        "import signal, time\n"
        "for n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
        "time.sleep(1000)",
        "timed_out",
    ),
    breaker(
        "a fork bomb",
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        "timed_out",
        "tampered",
        "crashed",
    ),
    breaker(
        "orphans that hold on to everything",
        "import os, time\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(1000)\n"
        "        os._exit(0)\n",
    ),
    breaker(
        "threads that never end",
        "import threading, time\nfor _ in range(20):\n    threading.Thread(target=time.sleep, args=(1000,)).start()",
    ),
    breaker(
        "memory by objects",
        "import time\nheld = []\nwhile True:\n    held.append(bytearray(b'x' * 8_000_000))\n    time.sleep(0.005)",
        "crashed",
    ),
    breaker(
        "memory by forks",
        "import os, time\n"
        "for _ in range(12):\n    if os.fork() == 0:\n"
        "        held = bytearray(b'x' * 64_000_000)\n        time.sleep(60)\n"
        "time.sleep(60)",
        "crashed",
    ),
    breaker(
        "memory that is shared",
        "import mmap, os, time\nheld = []\n"
        "for _ in range(12):\n    held.append(mmap.mmap(-1, 64_000_000))\n"
        "    if os.fork() == 0:\n        held[-1].write(b'x' * 64_000_000)\n        os._exit(0)\n    os.wait()\n"
        "time.sleep(60)",
        "crashed",
    ),
    breaker("memory all at once", "bytearray(10**12)"),
    breaker("100 MB on one line", "print('x' * 100_000_000)", "graded", "timed_out"),
    breaker("output without end", "import os\nwhile True:\n    os.write(1, b'y' * 65536)", "timed_out"),
    breaker(
        "fills the disk",
        "for folder in ('/tmp', '/room', '/dev/shm'):\n"
        "    try:\n        with open(folder + '/full', 'wb') as file:\n"
        "            while True:\n                file.write(b'x' * 1_000_000)\n"
        "    except OSError as full:\n        print(folder, type(full).__name__)",
    ),
    breaker("asks with input()", "input('your password? ')"),
    breaker(
        "closes what it finds open",
        "import os\nfor fd in range(3, 200):\n    try: os.close(fd)\n    except OSError: pass",
        "crashed",
    ),
    breaker("text that is no text", "print('\\ud800', chr(0), chr(27) + '[2J')\nraise ValueError('\\udfff' + chr(7))"),
    breaker(
        "changes the clock and the dice",
        "import time, random\ntime.time = time.monotonic = lambda: 0.0\nrandom.random = lambda: 0.5",
    ),
    Attack(
        "inputs are stashed and shown later",
        LAB1,
        cells={"budget": STASH},
        last=STASH_SHOWN_LATER,
        solved=True,
        points=8,  # of the checks that do not ask this budget
    ),
    Attack(
        "hangs in one answer",
        LAB4,
        cells={"host-write": "def host_write(tool_json, client):\n    while True:\n        pass"},
        solved=True,
        status=("timed_out",),
        points=18,
    ),
]

PRIES = """
import glob, os, pathlib, socket
said = [os.environ, open("/proc/self/environ", "rb").read()]
for pid in glob.glob("/proc/[0-9]*"):
    for name in ("environ", "cmdline", "maps"):
        try: said.append(open(f"{{pid}}/{{name}}", "rb").read())
        except OSError: pass
for place in ({root!r}, os.path.expanduser("~"), "/root", "/home", "/work", "/mnt", "/srv", "/var", "/tmp", "."):
    for folder, inner, names in os.walk(place):
        inner[:] = [name for name in inner if not name.startswith("python3")]  # the interpreter's own
        for name in names:
            path = os.path.join(folder, name)
            if "/data/" in path or "/permits/" in path:
                continue
            try: said.append((path, open(path, "rb").read()))
            except OSError: pass
for port in ({port}, 22, 8888):
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try: said.append(socket.create_connection((host, port), timeout=0.2))
        except OSError: pass
print(said)
"""
"""Shows all that it can read: the environment, other processes, the course at ``root``; calls the host at ``port``."""
