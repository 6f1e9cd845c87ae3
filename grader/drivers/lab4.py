"""Lab 4, the stamp card: asks a digest, decisions on one store, sixteen requests at once, the host's write."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import httpx

from grader.drivers import Json, World, driver
from stub_server.ledger import EffectLedger
from stub_server.write_once import StampStore
from workshop.overlap import STORES, ask_at_once


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
    """The digest of ``args``; with ``again``, whether that has the same one. Keys come in the order of the table."""
    told = canonical_digest(case["args"])
    if "again" not in case:
        return told
    return {"same_digest": json.dumps(told) == json.dumps(canonical_digest(case["again"]))}


@driver("lab4.decide")
def decide(world: World, case: dict[str, Any], student_decide: Any, canonical_digest: Any) -> Json:
    """The named ``fields`` of the reply to each of ``payloads``, one after another on one fresh store.

    ``earlier`` orders of somebody else are on the ledger first: they count, and $order1 is then the first of
    them. The replies to the payloads in ``before`` are not told. Beside the fields of a body there are ``status``
    and ``counter_minus_ledger``, and a digest that is the student's own of the arguments is told by that name:
    how it is computed is another check's question.
    """
    ledger = LedgerFromHere(world.ledger, world.ledger.count)
    for number in range(case.get("earlier", 0)):
        ledger.apply(f"somebody-else-{number}", "SKU-0", 1)
    store = StampStore(ledger)
    for payload in case.get("before", ()):
        student_decide(payload, store)
    replies = []
    for payload in case["payloads"]:
        told = _told(student_decide(payload, store))
        if type(told.get("side_effect_counter")) is int:
            told["counter_minus_ledger"] = told["side_effect_counter"] - store.effects
        if "arg_digest" in case["fields"]:
            told = _with_named_digest(told, payload, canonical_digest)
        replies.append({name: told[name] for name in case["fields"] if name in told} or told)
    return replies


@driver("lab4.overlap")
def overlap(world: World, case: dict[str, Any], student_decide: Any) -> Json:
    """What ``times`` requests with one stamp came to, while the store holds the step named by ``hold``.

    ``applied`` are the order ids of the replies that say APPLY, in the ledger's order and not in that of the threads:
    only the ledger knows an id beforehand.
    """
    store = STORES[case["hold"]](LedgerFromHere(world.ledger, world.ledger.count), case["times"])
    replies = [_told(reply) for reply in ask_at_once(student_decide, case["payload"], store)]
    decisions = Counter(str(reply.get("decision")) for reply in replies)
    applied = [str(reply.get("order_id")) for reply in replies if reply.get("decision") == "APPLY"]
    in_order = sorted(applied, key=lambda order_id: (len(order_id), order_id))
    return {"decisions": decisions, "orders_for_a_new_key": store.orders_for_a_new_key, "applied": in_order}


@driver("lab4.host_write")
def host_write(world: World, case: dict[str, Any], student_host_write: Any, canonical_digest: Any) -> Json:
    """The named ``fields`` of what reached a stub that gives the case's ``reply``, and of what came back."""
    sent: list[dict[str, Any]] = []

    def stub(request: httpx.Request) -> httpx.Response:
        sent.append({"method": request.method, "path": request.url.path, "payload": json.loads(request.content)})
        reply = case["reply"]
        return httpx.Response(reply["status"], json=reply["body"], headers={"x-should-retry": "false"})

    with httpx.Client(transport=httpx.MockTransport(stub), base_url="http://stub") as client:
        try:
            reply = student_host_write(case["tool_json"], client)
        except NotImplementedError:
            raise  # a cell that is not filled in: the judge says so
        except Exception:
            if sent:
                raise
            reply = "raised before any request"
    if isinstance(reply, dict) and isinstance(stamp := reply.get("stamp"), dict):
        named = _with_named_digest(stamp, case["tool_json"], canonical_digest)
        reply = {**reply, "stamp": named}
    told = {"requests": len(sent), "sent": sent[0] if sent else None, "reply": reply}
    return {name: told[name] for name in case["fields"]}


def _told(reply: Any) -> dict[str, Any]:
    """The body with its status in it, or what came instead of a status and a body."""
    match reply:
        case (status, dict() as body):
            return {**body, "status": status}
    return {"not_a_status_and_a_body": type(reply).__name__}


def _with_named_digest(told: dict[str, Any], payload: Any, canonical_digest: Any) -> dict[str, Any]:
    """A name in place of the student's own digest of the arguments; any other digest stays as it is."""
    if "arg_digest" not in told:
        return told
    is_own = json.dumps(told["arg_digest"]) == json.dumps(canonical_digest(payload["arguments"]))
    return {**told, "arg_digest": "canonical_digest(arguments)"} if is_own else told
