"""Who may come in: the room token of a classroom, and each student's fair share."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from starlette.types import Scope

from stub_server.fair_share import FairShare
from stub_server.wire import CLOSE, Refused


@dataclass(frozen=True)
class Door:
    """What a request must show before anything else is looked at.

    Attributes:
        token: the room's, sent as a Bearer token, which is what clients of the planner send as their key; None on
            loopback.
        students: the ids that may post; None where any may.
        share: the limit on `POST`s per student id; None without one. Reads of the log or the ledger are free.
    """

    token: str | None = None
    students: frozenset[str] | None = None
    share: FairShare | None = None

    def check(self, scope: Scope, student: str | None) -> None:
        """Let a request in.

        Raises:
            Refused: 401 without the token, 403 for an id nobody has told the server of, 429 with Retry-After
                when an id has had its share.
        """
        if self.token is not None and not _has_token(scope, self.token):
            raise Refused(401, "no_room_token", "send the room token", {"www-authenticate": "Bearer", **CLOSE})
        if scope["method"] != "POST":
            return
        if self.students is not None and student not in self.students:
            raise Refused(403, "unknown_student", "this id is not on the list: send yours as X-Student-Id", CLOSE)
        wait = 0 if self.share is None else self.share.admit(student)
        if self.share is not None and wait:
            message = f"{self.share.calls} calls an hour are your share; the next one is free in {wait} s"
            raise Refused(429, "fair_share", message, {"retry-after": str(wait)})


def _has_token(scope: Scope, token: str) -> bool:
    sent = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(sent) != 1:
        return False
    scheme, _, given = sent[0].partition(b" ")
    # compare_digest takes as long for a near miss as for a far one.
    return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), token.encode("utf-8"))
