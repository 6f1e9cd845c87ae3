"""Starting and stopping: where it listens, what it says, what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

import stub_server
from stub_server import Decide, StartError, Stub, connection
from tests.stub_server.drills import DRILL_A, order
from tests.waiting import LONG_S

DECIDE_FILE = """
def decide(payload, store):
    return 200, {"decision": "APPLY", "order_id": store.apply("intent-alpha-01", "SKU-9", 1)}
"""


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_start_prints_one_line_with_the_address(free_port: int, capfd: pytest.CaptureFixture[str]) -> None:
    with stub_server.start(free_port) as stub:
        assert stub.port == free_port
        assert capfd.readouterr().out == f"stub server: {stub.url}\n"
        assert stub.base_url == f"{stub.url}/v1"
        assert httpx.get(f"{stub.url}/healthz").json() == {"status": "ready"}


def test_a_taken_port_gives_a_free_one(free_port: int) -> None:
    with Stub(port=free_port), stub_server.start(free_port) as second:
        assert second.port != free_port
        assert httpx.get(f"{second.url}/healthz").status_code == 200


def test_a_second_start_returns_the_running_one_and_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    with stub_server.start(0) as stub:
        stub.ledger.apply("intent-alpha-01", "SKU-9", 1)
        capfd.readouterr()
        assert stub_server.start(0) is stub
        said = capfd.readouterr().out
        assert "still running" in said
        assert "1 effects" in said
        assert said.count("\n") == 1
    with stub_server.start(0) as another:
        assert another is not stub
        assert another.ledger.count == 0


def test_mount_swaps_the_function_and_keeps_ledger_and_log(stub: Stub, decide: Decide) -> None:
    httpx.post(f"{stub.url}/tool", json=DRILL_A)
    stub.mount(lambda payload, store: (200, {"counter": store.effects}))
    assert httpx.post(f"{stub.url}/tool", json=DRILL_A).json() == {"counter": 1}
    stub.mount(decide)
    assert httpx.post(f"{stub.url}/tool", json=DRILL_A).json()["decision"] == "REPLAY_OK"
    assert stub.log.total == 3


def test_mounting_what_is_no_function_is_told_at_once(stub: Stub) -> None:
    with pytest.raises(TypeError, match="the function itself"):
        stub.mount(None)  # type: ignore[arg-type]


def test_reset_forgets_and_says_what(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    httpx.post(f"{stub.url}/tool", json=DRILL_A)
    before = stub.ledger
    stub.reset()
    assert capsys.readouterr().out == (
        "forgotten: 1 effects with their records, 1 log rows; the mounted function stays\n"
    )
    assert stub.ledger.count == stub.log.total == 0
    assert before.count == 1
    assert httpx.post(f"{stub.url}/tool", json=DRILL_A).json()["decision"] == "APPLY"


def test_behind_a_proxy_its_own_client_still_reaches_it(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # where nobody listens
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with stub.client(timeout=LONG_S) as client, httpx.Client(base_url=stub.url) as through_proxy:
        assert client.get("/healthz").json() == {"status": "ready"}
        with pytest.raises(httpx.ConnectError):
            through_proxy.get("/healthz")


def test_stop_waits_for_no_client_frees_the_port_and_leaves_no_thread(
    decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "STALL_SECONDS", 3600)
    threads = threading.active_count()
    stub = Stub()
    stub.mount(decide)
    # One connection idle and one in the middle of a request: neither holds up the end.
    with stub.client() as idle, socket.create_connection(("127.0.0.1", stub.port)) as slow:
        assert idle.post("/tool", json=DRILL_A).status_code == 200
        slow.sendall(b"POST /tool HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{")
        stub.stop()
    assert threading.active_count() == threads
    assert not stub.is_running
    with Stub(port=stub.port) as again:
        assert again.port == stub.port
    stub.stop()


def test_two_servers_share_no_state(decide: Decide) -> None:
    with Stub() as one, Stub() as two:
        one.mount(decide)
        assert httpx.post(f"{one.url}/tool", json=DRILL_A).status_code == 200
        assert httpx.post(f"{two.url}/tool", json=DRILL_A).status_code == 503
        two.mount(decide)
        httpx.post(f"{two.url}/tool", json=order("intent-beta-01"))
        assert [row.key for row in one.ledger.rows] == ["intent-alpha-01"]
        assert [row.key for row in two.ledger.rows] == ["intent-beta-01"]
        assert (one.log.total, two.log.total) == (1, 2)


NOISY = """
import logging, socket
import stub_server

if {root}:
    logging.basicConfig(level=logging.DEBUG)
    for ours in ("httpx", "httpcore", "asyncio"):
        logging.getLogger(ours).setLevel(logging.WARNING)

RAW = (
    b"nonsense\\r\\n\\r\\n",
    b"GET / HTTP/1.1\\r\\nHost: a\\r\\nUpgrade: websocket\\r\\nConnection: upgrade\\r\\n\\r\\n",
    b"POST /tool HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 5\\r\\n\\r\\n{{",
)
with stub_server.Stub() as stub, stub.client() as client:
    stub.mount(lambda payload, store: 1 / 0)
    for path in ("/tool", "/nope", "/ledger"):
        client.get(path)
        client.post(path, content=b"\\xff")
        client.post(path, json={{}})
    client.post("/tool", content=b" " * 100_000)
    for raw in RAW:
        with socket.create_connection(("127.0.0.1", stub.port)) as link:
            link.sendall(raw)
    client.get("/log")
"""


@pytest.mark.parametrize("root_logging", [False, True])
def test_nothing_is_written_while_serving(root_logging: bool) -> None:
    code = NOISY.format(root=root_logging)
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, timeout=LONG_S)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_port_in_use_is_one_line(free_port: int) -> None:
    with Stub(port=free_port), pytest.raises(StartError, match="choose another port"):
        Stub(port=free_port)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_as_a_process_it_serves_a_file_logs_to_a_file_and_ends_on_a_signal(
    tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "mine.py").write_text(DECIDE_FILE)
    code = (
        "from pathlib import Path; import stub_server;"
        "stub_server.serve_forever(port=0, decide_file=Path('mine.py'), log_file=Path('access.log'))"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.split()[2]
        assert httpx.post(f"{url}/tool", json=DRILL_A).json()["order_id"] == "lab-1"
        os.kill(process.pid, number)
        assert process.wait(LONG_S) == 0
        assert process.stdout.read() == ""
    rows = [json.loads(text) for text in (tmp_path / "access.log").read_text().splitlines()]
    assert [(row["method"], row["path"], row["status"]) for row in rows] == [("POST", "/tool", 200)]
