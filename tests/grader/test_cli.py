"""`admit-one stub`: each option does what its help says, and what cannot be is told in one line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from grader import cli

TOKEN = "room-token-7"
SEARCH = {"arguments": {"q": "retry"}}
REFUND = {"arguments": {"order_id": "order-1", "amount_cents": 500}}


def test_a_classroom_server_does_what_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("ada\nben\n")
    asked = ["--port", "0", "--room-token", TOKEN, "--students", "ids.txt", "--fair-share", "2/hour"]
    asked += ["--log", "access.jsonl", "--store", "orders.db", "--scenario", "refund-drops"]
    command = [sys.executable, "-m", "grader.cli", "stub", *asked]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[2]
        try:
            with httpx.Client(base_url=url, headers={"X-Student-Id": "ada"}, trust_env=False) as client:
                assert client.get("/healthz").status_code == 401
                client.headers["Authorization"] = f"Bearer {TOKEN}"
                assert client.post("/tools/search", json=SEARCH, headers={"X-Student-Id": "eve"}).status_code == 403
                with pytest.raises(httpx.RemoteProtocolError):
                    client.post("/tools/refund", json=REFUND)
                assert client.post("/tools/search", json=SEARCH).status_code == 200
                assert client.post("/tools/search", json=SEARCH).status_code == 429
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(10) == 0
    rows = [json.loads(line) for line in (tmp_path / "access.jsonl").read_text().splitlines()]
    assert [row["path"] for row in rows].count("/tools/search") == 3
    assert (tmp_path / "orders.db").is_file()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--host", "0.0.0.0"], "choose a room token (--room-token)"),
        (["--room-token", "short"], "at least 8 letters"),
        (["--fair-share", "often"], "a fair share is written 60/hour"),
        (["--scenario", "nothing-like-it"], "no scenario 'nothing-like-it'; there are"),
        (["--decide", "missing.py"], "missing.py: no such file"),
        (["--students", "missing.txt"], "missing.txt"),
        (["--store", "no-folder/orders.db"], "orders.db"),
        (["--log", "no-folder/access.jsonl"], "access.jsonl"),
    ],
)
def test_what_cannot_be_is_one_line(
    asked: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["admit-one", "stub", *asked])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capfd.readouterr()
    assert ended.value.code == 1
    assert said.out == ""
    assert said.err.startswith("admit-one: ")
    assert said.err.count("\n") == 1
    assert told in said.err
