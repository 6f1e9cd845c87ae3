"""kill -9 at a random moment under load, again and again: no effect doubled, lost or claimed twice.

A few kills in the ordinary run. For two hundred, at other moments:

    ADMIT_ONE_KILLS=200 ADMIT_ONE_SEED=2 python -m pytest tests/stub_server/test_kill.py
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.stub_server.drills import order

KILLS = int(os.environ.get("ADMIT_ONE_KILLS", "6"))
CLIENTS = 6

# The pauses stand where a real store would wait for its disk or its network, and widen what a kill can hit.
DECIDE = """
import random, time
from tests.stub_server.drills import solved_decide

chance = random.Random(SEED)
solved = solved_decide()


class Slow:
    def __init__(self, store):
        self._store, self.lock, self.get = store, store.lock, store.get

    effects = property(lambda self: self._store.effects)

    def pause(self):
        time.sleep(chance.random() * 0.004)

    def apply(self, *order):
        self.pause()
        order_id = self._store.apply(*order)
        self.pause()
        return order_id

    def put(self, *record):
        self._store.put(*record)
        self.pause()


def decide(payload, store):
    return solved(payload, Slow(store))
"""


@dataclass
class Seen:
    """What clients have been told about each key, over all lives of the server."""

    order_ids: dict[str, set[str]] = field(default_factory=dict)
    applied: dict[str, int] = field(default_factory=dict)
    in_doubt: set[str] = field(default_factory=set)
    wrong: list[Any] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    answered: threading.Event = field(default_factory=threading.Event)

    def note(self, key: str, reply: httpx.Response, landed: set[str]) -> None:
        """Note one answer; `landed` are the keys that had an effect when the server started."""
        body = reply.json()
        self.answered.set()
        with self.lock:
            if reply.status_code == 500:
                self.in_doubt.add(key)
                if body["reason"] != "outcome_unknown" or key not in landed:
                    self.wrong.append((key, body))
                return
            self.order_ids.setdefault(key, set()).add(body["order_id"])
            if body["decision"] == "APPLY":
                self.applied[key] = self.applied.get(key, 0) + 1
                if key in landed:
                    self.wrong.append((key, body))


def start(folder: Path) -> tuple[subprocess.Popen[str], str]:
    code = (
        "from pathlib import Path; import stub_server; "
        "stub_server.serve_forever(port=0, decide_file=Path('decide.py'), store_file=Path('orders.sqlite'))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split()[2]


def load(url: str, seen: Seen, landed: set[str], keys: list[str], stop: threading.Event, chance: random.Random) -> None:
    with httpx.Client(base_url=url, timeout=10) as client:
        while not stop.is_set():
            key = chance.choice(keys)
            try:
                seen.note(key, client.post("/tool", json=order(key)), landed)
            except httpx.HTTPError:
                return  # the server has just been killed


@pytest.mark.timeout(0)
def test_no_kill_doubles_or_loses_an_effect(tmp_path: Path, chance: random.Random) -> None:
    seen = Seen()
    for life in range(KILLS):
        (tmp_path / "decide.py").write_text(f"SEED = {chance.random()}\n{DECIDE}")
        process, url = start(tmp_path)
        landed = {row["key"] for row in httpx.get(f"{url}/ledger").json()["effects"]}
        fresh = [f"intent-{life:04}-{number:02}" for number in range(40)]
        before = [f"intent-{life - 1:04}-{number:02}" for number in range(40)] if life else []
        stop = threading.Event()
        clients = [
            threading.Thread(
                target=load, args=(url, seen, landed, fresh + before, stop, random.Random(chance.random()))
            )
            for _ in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        assert seen.answered.wait(30)
        seen.answered.clear()
        time.sleep(chance.random() * 0.25)
        os.kill(process.pid, signal.SIGKILL)
        stop.set()
        for client in clients:
            client.join()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

    process, url = start(tmp_path)
    with httpx.Client(base_url=url, timeout=10) as asking:
        rows = asking.get("/ledger").json()["effects"]
        landed = {row["key"] for row in rows}
        for key in sorted(landed):
            seen.note(key, asking.post("/tool", json=order(key)), landed)
        after = asking.get("/ledger").json()["effects"]
    process.terminate()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()

    assert seen.wrong == []
    assert len(landed) == len(rows) == len(after), "a key has more than one effect"
    by_key = {row["key"]: row["order_id"] for row in rows}
    assert len(set(by_key.values())) == len(rows)
    assert max(seen.applied.values()) == 1, "a key was told APPLY twice"
    for key, order_ids in seen.order_ids.items():
        assert order_ids == {by_key[key]}, "an order that was confirmed is lost or has another id"
    print(json.dumps({"kills": KILLS, "effects": len(rows), "in doubt": len(seen.in_doubt)}))
