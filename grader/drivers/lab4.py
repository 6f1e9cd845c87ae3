"""How to ask Lab 4's checks: a digest, decisions on one store, sixteen requests at once, the host's write."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from grader.drivers import Json, World, driver
from grader.drivers.overlap import LateRecordStore, SlowLookUpStore, ask_at_once
from stub_server.ledger import EffectLedger
from stub_server.write_once import StampStore

# Which step waits in an overlap case, by the case's "hold".
_STORES: dict[str, type[SlowLookUpStore]] = {"look_up": SlowLookUpStore, "record": LateRecordStore}


@dataclass(frozen=True)
class LedgerFromHere:
    """The world's ledger, its count taken from the start of the case, so that a table can name the counter."""

    ledger: EffectLedger
    before: int

    @property
    def count(self) -> int:
        return self.ledger.count - self.before

    def apply(self, key: str, sku: str, qty: int) -> str:
        return self.ledger.apply(key, sku, qty)


@driver("lab4.digest")
def digest(world: World, case: dict[str, Any], canonical_digest: Any) -> Json:
    """The digest of the case's ``args``, whose keys come in the order of the table."""
    return canonical_digest(case["args"])


@driver("lab4.decide")
def decide(world: World, case: dict[str, Any], student_decide: Any) -> Json:
    """The named ``fields`` of the reply to each of ``payloads``, one after another on one fresh store.

    ``earlier`` orders of somebody else are on the ledger first: they count, and $order1 is then the first of
    them. The replies to the payloads in ``before`` are not told. ``status`` is a field like those of the body.
    """
    ledger = LedgerFromHere(world.ledger, world.ledger.count)
    for number in range(case.get("earlier", 0)):
        ledger.apply(f"somebody-else-{number}", "SKU-0", 1)
    store = StampStore(ledger)
    for payload in case.get("before", ()):
        student_decide(payload, store)
    return [_told(student_decide(payload, store), case["fields"]) for payload in case["payloads"]]


@driver("lab4.overlap")
def overlap(world: World, case: dict[str, Any], student_decide: Any) -> Json:
    """What ``times`` requests with one stamp came to, while the store holds the step named by ``hold``."""
    store = _STORES[case["hold"]](LedgerFromHere(world.ledger, world.ledger.count), case["times"])
    decisions: dict[str, int] = {}
    for reply in ask_at_once(student_decide, case["payload"], store):
        decision = str(_told(reply, ["decision"]).get("decision"))
        decisions[decision] = decisions.get(decision, 0) + 1
    return {"decisions": decisions, "orders_for_a_new_key": store.orders_for_a_new_key}


@driver("lab4.host_write")
def host_write(world: World, case: dict[str, Any], student_host_write: Callable[..., Any]) -> Json:
    """What reached a stub that gives the case's ``reply``, and what came back to the caller."""
    sent: list[dict[str, Any]] = []

    def stub(request: httpx.Request) -> httpx.Response:
        sent.append({"method": request.method, "path": request.url.path, "payload": json.loads(request.content)})
        reply = case["reply"]
        return httpx.Response(reply["status"], json=reply["body"], headers={"x-should-retry": "false"})

    with httpx.Client(transport=httpx.MockTransport(stub), base_url="http://stub") as client:
        try:
            reply = student_host_write(case["tool_json"], client)
        except NotImplementedError:
            raise
        except Exception:
            if sent:
                raise
            reply = "raised before any request"
    told = {"requests": len(sent), "sent": sent[0] if sent else None, "reply": reply}
    return {name: told[name] for name in case["fields"]}


def _told(reply: Any, fields: list[str]) -> dict[str, Any]:
    match reply:
        case (status, dict() as body):
            told = {**body, "status": status}
            return {name: told[name] for name in fields if name in told}
    return {"not_a_status_and_a_body": type(reply).__name__}
