"""A crowd: 200 clients at once, each of 5,000 stamps sent three times, exactly 5,000 effects."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter

from stub_server import Stub
from tests.stub_server.drills import order
from tests.stub_server.wire import request_bytes

CLIENTS = 200
STAMPS = 5_000
TIMES = 3


async def client(port: int, share: list[bytes], decisions: Counter[str], order_ids: dict[str, set[str]]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for request in share:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        body = json.loads(await reader.readexactly(length))
        assert head.startswith(b"HTTP/1.1 200"), body
        decisions[body["decision"]] += 1
        order_ids.setdefault(body["arg_digest"], set()).add(body["order_id"])
    writer.close()
    await writer.wait_closed()


def test_two_hundred_clients_make_each_effect_once(stub: Stub, chance: random.Random) -> None:
    requests = [request_bytes("/tool", json.dumps(order(f"intent-{n:05}")).encode()) for n in range(STAMPS)] * TIMES
    chance.shuffle(requests)
    decisions: Counter[str] = Counter()
    order_ids: dict[str, set[str]] = {}

    async def crowd() -> None:
        shares = [requests[number::CLIENTS] for number in range(CLIENTS)]
        await asyncio.gather(*(client(stub.port, share, decisions, order_ids) for share in shares))

    asyncio.run(crowd())
    assert decisions == {"APPLY": STAMPS, "REPLAY_OK": STAMPS * (TIMES - 1)}
    assert stub.ledger.count == STAMPS
    assert len({row.key for row in stub.ledger.rows}) == STAMPS
    assert all(len(ids) == 1 for ids in order_ids.values())
    assert set(stub.log.posts_by_key.values()) == {TIMES}
