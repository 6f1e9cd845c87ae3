"""How fast the stub server is beside the plainest server that could do its job, in one run.

    python benchmarks/stub_server.py            # about a minute
    python benchmarks/stub_server.py --soak     # 200,000 requests, watching the memory

The other side is the endpoint on the standard library's `http.server`: one thread a connection, the same function
behind it, no limits, no ledger rows, no log. Each server is a process of its own and so is the load, which keeps 20
or 200 connections busy, one request at a time on each. Numbers of one machine; the ratio is the point.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from stub_server import Ledger, StampStore, serve_forever
from tests.stub_server.drills import order, solved_decide

STAMPS = 1000
GOAL_RATIO = 3.0
GOAL_P99_MS = 50.0
SOAK_REQUESTS = 200_000
# Long enough that 200 connections at once, and the first request on each, are over.
WARM_UP_SECONDS = 1.5


def serve_plain() -> None:
    """The endpoint as the shortest script would have it."""
    store, decide = StampStore(Ledger()), solved_decide()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = decide(payload, store)
            encoded = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"plain server: http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


def serve_ours() -> None:
    """As `admit-one stub --decide FILE` does, with a file that mounts the same function."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mine.py")
        file.write_text("from tests.stub_server.drills import solved_decide\n\ndecide = solved_decide()\n")
        serve_forever(port=0, decide_file=file)


class Client(asyncio.Protocol):
    """One connection: the next request when the last answer is whole, a new connection when it was closed."""

    def __init__(self, load: Load, turn: int) -> None:
        self.load, self.turn = load, turn
        self.received = b""
        self.began = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.began = time.perf_counter()
        self.transport.write(REQUESTS[self.turn % STAMPS])
        self.turn += 1

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        if len(body) < length:
            return
        if not head.startswith(b"HTTP/1.") or b" 200 " not in head[:13]:
            raise RuntimeError(head)
        self.received = b""
        self.load.took.append(time.perf_counter() - self.began)
        if self.load.is_over:
            self.transport.close()
        elif head.startswith(b"HTTP/1.0"):
            self.transport.close()
            self.load.connect(self.turn)
        else:
            self.send()


def _request(number: int) -> bytes:
    body = json.dumps(order(f"intent-{number:06}")).encode()
    head = f"POST /tool HTTP/1.1\r\nHost: stub\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


REQUESTS = [_request(number) for number in range(STAMPS)]


class Load:
    """So many connections, kept busy until it is told that it is over."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.took: list[float] = []
        self.is_over = False
        self.connecting: set[asyncio.Task[object]] = set()

    def connect(self, turn: int) -> None:
        loop = asyncio.get_running_loop()
        task: asyncio.Task[object] = loop.create_task(
            loop.create_connection(lambda: Client(self, turn), "127.0.0.1", self.port)
        )
        self.connecting.add(task)
        task.add_done_callback(self.connecting.discard)

    @asynccontextmanager
    async def running(self, connections: int) -> AsyncIterator[None]:
        for number in range(connections):
            self.connect(number * 7)
        yield
        self.is_over = True
        await asyncio.sleep(0.2)


@contextmanager
def server(side: str) -> Iterator[tuple[int, psutil.Process]]:
    """A server in a process of its own: its port, and its process to look at."""
    command = [sys.executable, __file__, "--serve", side]
    # The plain server complains on stderr when a client leaves.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline().split()[2].rpartition(b":")[2]), psutil.Process(process.pid)
        finally:
            process.terminate()


@dataclass(frozen=True)
class Figures:
    """Requests a second; the 99th percentile and the worst in ms; processor time of the server in µs a request."""

    rate: float
    p99_ms: float
    worst_ms: float
    cpu_us: float


async def measure(side: str, connections: int, seconds: float) -> Figures:
    with server(side) as (port, process):
        load = Load(port)
        async with load.running(connections):
            await asyncio.sleep(WARM_UP_SECONDS)
            load.took.clear()
            before, began = process.cpu_times(), time.perf_counter()
            await asyncio.sleep(seconds)
            after, ended = process.cpu_times(), time.perf_counter()
            took = sorted(load.took)
    used = after.user + after.system - before.user - before.system
    rate = len(took) / (ended - began)
    return Figures(rate, took[int(len(took) * 0.99)] * 1000, took[-1] * 1000, used / len(took) * 1e6)


async def soak() -> bool:
    """Whether the memory stays flat over 200,000 requests: as much after the last as after a tenth, within 5%."""
    sizes = []
    with server("ours") as (port, process):
        load = Load(port)
        async with load.running(20):
            for tenth in range(1, 11):
                while len(load.took) < tenth * SOAK_REQUESTS // 10:
                    await asyncio.sleep(0.05)
                sizes.append(process.memory_info().rss / 2**20)
    print("memory, MiB, after each tenth of 200,000 requests:", " ".join(f"{size:.1f}" for size in sizes))
    return bool(sizes[-1] < sizes[0] * 1.05)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--serve", choices=("plain", "ours"), help=argparse.SUPPRESS)
    parser.add_argument("--soak", action="store_true", help="instead, send 200,000 requests and watch the memory")
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each load lasts")
    asked = parser.parse_args()
    if asked.serve:
        {"plain": serve_plain, "ours": serve_ours}[asked.serve]()
        return 0
    if asked.soak:
        return 0 if asyncio.run(soak()) else 1
    print(f"{'':24}{'requests/s':>12}{'p99 ms':>10}{'worst ms':>10}{'cpu µs':>10}")
    figures = {}
    for side, connections in (("plain", 20), ("ours", 20), ("ours", 200)):
        got = figures[side, connections] = asyncio.run(measure(side, connections, asked.seconds))
        name = f"{side}, {connections} connections"
        print(f"{name:24}{got.rate:12,.0f}{got.p99_ms:10.1f}{got.worst_ms:10.1f}{got.cpu_us:10.0f}")
    ratio = figures["ours", 20].rate / figures["plain", 20].rate
    p99 = figures["ours", 200].p99_ms
    print(f"ratio {ratio:.1f} (goal: at least {GOAL_RATIO:g}); p99 {p99:.0f} ms (goal: under {GOAL_P99_MS:g})")
    return 0 if ratio >= GOAL_RATIO and p99 < GOAL_P99_MS else 1


if __name__ == "__main__":
    sys.exit(main())
