"""What can become of a submission: each status with its words for the student and for the instructor."""

from __future__ import annotations

from dataclasses import dataclass

NOT_GRADED = "not_graded"
"""Handed in, and no verdict holds for it: the one status that is no outcome of grading (spec 4, rule 4)."""

MARKED_BY_HAND = "The grading process failed, not your code. A person has marked it."
"""To the student, in the place of could_not_grade's words, once there is a mark."""


@dataclass(frozen=True)
class Status:
    """One status. ``needs_a_look``: a person should look before marks go out, whatever else is known of it."""

    name: str
    to_student: str
    to_instructor: str
    needs_a_look: bool


_WORST_FIRST = (
    Status(
        "could_not_grade",
        "Could not be graded: the grading process failed, not your code. A person will look.",
        "the grading failed, not their code, and there is no mark: give one by hand in the formgrader, or grade again",
        needs_a_look=True,
    ),
    Status(
        NOT_GRADED,
        "Handed in, and not graded yet.",
        "handed in, and there is no mark yet: run admit-one grade",
        needs_a_look=True,
    ),
    Status("not_submitted", "Nothing was handed in.", "no notebook of this lab", needs_a_look=False),
    Status(
        "tampered",
        "A grading cell was changed or the grader was disturbed. What worked counts; a person will look.",
        "a grading cell was changed or the grader was disturbed; what its evidence earned counts",
        needs_a_look=True,
    ),
    Status(
        "timed_out",
        "Something ran out of time. What finished counts.",
        "something ran out of time; what finished counts",
        needs_a_look=False,
    ),
    Status(
        "crashed",
        "The notebook's process died. What finished counts.",
        "the notebook's process died; what finished counts",
        needs_a_look=True,
    ),
    Status("graded", "Graded.", "everything ran and was judged", needs_a_look=False),
)
STATUSES = {status.name: status for status in _WORST_FIRST}
"""By name, worst first: of several that apply to a submission, the first is told (spec 4, rule 4)."""
