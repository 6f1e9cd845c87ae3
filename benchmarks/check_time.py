"""How long a student waits for a check: every check of every lab, asked of the reference solution in this process.

    python -m benchmarks.check_time

The goal is 250 ms for the table of public cases; lab 5's kill check, which kills real processes, may take its second.
The first call of a lab pays for reading its tables; a notebook makes it once.
"""

from __future__ import annotations

import contextlib
import io
import statistics
import time

from grader import check
from grader.plan import AskCheck, make_plan
from tests.solved import ROOT, solved_namespace, solved_notebook
from workshop.lab import all_labs

CALLS = 5


def main() -> None:
    print(f"{'check':<18}{'first call':>12}{f'median of {CALLS}':>14}")
    for lab in all_labs(ROOT):
        with contextlib.redirect_stdout(io.StringIO()):
            names = solved_namespace(lab.id)
        for step in make_plan(solved_notebook(lab.id)):
            if isinstance(step, AskCheck):
                first, *later = [ask(step, names) for _ in range(1 + CALLS)]
                print(f"{step.check_id:<18}{first:>9.0f} ms{statistics.median(later):>11.0f} ms")


def ask(step: AskCheck, names: dict[str, object]) -> float:
    """Milliseconds of one call of check, its table included."""
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        check(step.check_id, *[names[name] for name in step.names])
    return 1000 * (time.perf_counter() - started)


if __name__ == "__main__":
    main()
