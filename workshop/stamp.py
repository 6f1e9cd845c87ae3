"""Lab 4's props: the store, the drills over HTTP, requests at once, and the two ways to lose what a store knew."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

import httpx

from stub_server.ledger import ORDER_TOOL, EffectLedger, Ledger
from stub_server.write_once import Decide, Record, StampStore
from workshop.lab import Lab
from workshop.together import start_together

if TYPE_CHECKING:
    from stub_server.server import Stub

__all__ = [
    "ALLOWED_TOOL",
    "SCHEMA_FILE",
    "SCHEMA_SHA256",
    "Drills",
    "Ledger",
    "StampStore",
    "StoreDied",
    "StoreThatDies",
    "StoreWithoutLock",
    "Transcript",
    "at_once",
    "decide_at_once",
    "send_like_a_library",
]

ALLOWED_TOOL = ORDER_TOOL
GIVE_UP_S = 30.0
SCHEMA_FILE = "create_lab_order.schema.json"
SCHEMA_SHA256 = "f21b5f24ba079895e0234fefd949fafe7d347549ce003702508d53eed2c00c67"


@dataclass(frozen=True)
class Transcript:
    """One drill as it went over HTTP; its text is what belongs in the packet."""

    letter: str
    payload: dict[str, Any]
    status: int
    body: dict[str, Any]

    def __str__(self) -> str:
        return f"Drill {self.letter}\n> {json.dumps(self.payload)}\n< HTTP {self.status}\n< {json.dumps(self.body)}"


_TRANSCRIPTS: WeakKeyDictionary[Ledger, dict[str, Transcript]] = WeakKeyDictionary()


class Drills:
    """The drills of the card, run over HTTP.

    The first decision that a drill gets is its transcript, and stays it: a drill that is run again is another
    request, and its answer belongs on no card.
    """

    def __init__(self, lab: Lab, stub: Stub) -> None:
        self._lab = lab
        self._stub = stub
        self._client = stub.client()

    @property
    def transcripts(self) -> dict[str, Transcript]:
        """The first decided run of each drill, by its letter."""
        # One ledger, one set of drills: a cell that is run again must not take a replay for a first answer.
        return _TRANSCRIPTS.setdefault(self._stub.ledger, {})

    def run(self, letter: str) -> Transcript:
        """POST ``drill-LETTER.json`` of the lab's data to /tool, once, and give what came back."""
        payload = self._lab.read_json(f"drill-{letter.lower()}.json")
        reply = self._client.post("/tool", json=payload)
        transcript = Transcript(letter, payload, reply.status_code, reply.json())
        if "decision" in transcript.body:
            self.transcripts.setdefault(letter, transcript)
        return transcript

    def card_rows(self, canonical_digest: Callable[[dict[str, Any]], str]) -> dict[str, dict[str, str]]:
        """What the card must say of each drill: the stamp that was sent, the counter and decision that came back.

        The digest is the server's where its answer names one. A request without a key has no stamp, so its key and
        digest are "". A drill that got no decision yet has no row.
        """
        return {letter: _card_row(drill, canonical_digest) for letter, drill in sorted(self.transcripts.items())}


def _card_row(drill: Transcript, canonical_digest: Callable[[dict[str, Any]], str]) -> dict[str, str]:
    args = drill.payload["arguments"]
    key = args.get("idempotency_key", "")
    return {
        "tool_name": drill.payload["tool_name"],
        "arg_digest": str(drill.body.get("arg_digest") or canonical_digest(args)) if key else "",
        "idempotency_key": key,
        "side_effect_counter": str(drill.body.get("side_effect_counter", "")),
        "decision": str(drill.body["decision"]),
    }


def at_once(ask: Callable[[], Mapping[str, Any]], times: int) -> Counter[str]:
    """Call ``ask`` from ``times`` threads that start together; how often its reply held each decision."""
    return Counter(str(reply.get("decision")) for reply in start_together(ask, times, within_s=GIVE_UP_S))


def decide_at_once(decide: Decide, payload: dict[str, Any], store: StampStore, times: int) -> Counter[str]:
    """Call ``decide`` with ``times`` copies of one payload at once."""
    text = json.dumps(payload)
    return at_once(lambda: decide(json.loads(text), store)[1], times)


class BrokenLock:
    """Looks like a lock, whichever way it is asked, and keeps nobody out."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        return True

    def release(self) -> None:
        pass

    def locked(self) -> bool:
        return False

    def __enter__(self) -> bool:
        return True

    def __exit__(self, *_: object) -> None:
        pass


class StoreWithoutLock(StampStore):
    """A store whose lock keeps nobody out. Its look-ups wait for one another, so that the race is certain."""

    def __init__(self, ledger: EffectLedger, requests: int) -> None:
        super().__init__(ledger)
        self.lock = cast(threading.Lock, BrokenLock())
        self._all_have_looked = threading.Barrier(requests)

    def get(self, key: str) -> Record | None:
        found = super().get(key)
        # Behind a lock of the student's own only one look-up comes at a time.
        with suppress(threading.BrokenBarrierError):
            self._all_have_looked.wait(timeout=1)
        return found


class StoreDied(Exception):
    """The process ended between the effect and its record, as far as this lab can act it."""


class StoreThatDies(StampStore):
    """A store that dies at its first record and lives again afterwards, with what it had recorded by then."""

    def __init__(self, ledger: EffectLedger) -> None:
        super().__init__(ledger)
        self._has_died = False

    def put(self, key: str, record: Record) -> None:
        if not self._has_died:
            self._has_died = True
            raise StoreDied("the effect has happened, its record has not")
        super().put(key, record)


def send_like_a_library(client: httpx.Client, payload: dict[str, Any], *, heeds_the_header: bool) -> int:
    """How many POSTs a client sends that tries a 409 again twice, as common client libraries do.

    One that heeds ``x-should-retry: false`` stops when the server says so.
    """
    tries = 3
    for sent in range(1, tries + 1):
        reply = client.post("/tool", json=payload)
        told_to_stop = heeds_the_header and reply.headers.get("x-should-retry") == "false"
        if reply.status_code != 409 or told_to_stop:
            return sent
    return tries
