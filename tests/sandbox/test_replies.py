"""Exactly one reply to each question: forged, doubled, early and endless ones are no evidence."""

from __future__ import annotations

import select

import pytest

from grader.asker import RoomClosed
from tests.sandbox.visit import Visiting
from tests.waiting import LONG_S

# Finds the runner's own socket, and a way to send each of its replies twice.
FIND = """
import gc, os, threading
import grader.runner
from grader.channel import BlockingChannel
wires = [thing for thing in gc.get_objects() if isinstance(thing, BlockingChannel)]
ledger = next(thing for thing in gc.get_objects() if isinstance(thing, grader.runner.RemoteLedger))._channel
control = next(wire for wire in wires if wire is not ledger)
dumps = grader.runner._dumps
def before_the_real_one(act):
    def dumps_and_act(reply):
        if "error" in reply:
            act(dumps(reply).encode())
        return dumps(reply)
    grader.runner._dumps = dumps_and_act
"""
FORGERIES = {
    "the reply, twice": "before_the_real_one(control.send)",
    "a reply with another id": 'control.send(b\'{"id": "00", "error": null}\')',
    "something that is not JSON": "control.send(b'full marks')",
    "a frame that is too long": "control._sock.sendall(b'\\xff' * 8)",
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_second_voice_is_tampering(visit: Visiting, forgery: str) -> None:
    with visit() as inside, pytest.raises(RoomClosed) as closed:
        inside.run(f"{FIND}\n{forgery}", seconds=5)
    assert closed.value.status == "tampered"


def test_a_reply_before_the_question_is_tampering(visit: Visiting) -> None:
    with visit() as inside:
        inside.run(f"{FIND}\nthreading.Timer(0.1, lambda: control.send(b'{{}}')).start()")
        assert select.select([inside.asker._child.control], [], [], LONG_S)[0]
        with pytest.raises(RoomClosed, match="before it was asked for") as closed:
            inside.run("")
    assert closed.value.status == "tampered"


def test_who_speaks_otherwise_on_the_ledgers_wire_gets_no_more_answers(visit: Visiting) -> None:
    with visit() as inside:
        assert inside.run(f"{FIND}\nledger.send(b'{{\"count\": true}}')\nprint(ledger.receive())") == "b'0'\n"
        with pytest.raises(RoomClosed) as closed:
            inside.run("ledger.send(b'[1]')\nledger.receive()", seconds=1)
    assert closed.value.status == "timed_out"


def test_a_reply_whose_sender_then_ends_is_no_evidence(visit: Visiting) -> None:
    with visit() as inside, pytest.raises(RoomClosed) as closed:
        inside.run(f"{FIND}\nbefore_the_real_one(lambda reply: (control.send(reply), os._exit(0)))", seconds=5)
    assert closed.value.status == "crashed"
