"""Grades the same class with plain nbgrader and with the kit, sandbox on, and prints how many times faster that is.

    python -m benchmarks.grading                        40 submissions of lab 1, 2 workers, and the ratio
    python -m benchmarks.grading --sizes 20 100 500     the kit's cost a submission as the class grows

Each side runs as a command of its own, so that starting Python and loading packages are in the time. Plain nbgrader
runs the same notebooks with its own Execute and its own scoring; the kit runs them twice over (public and hidden
cases) in sandboxes, and records the marks in nbgrader's gradebook.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
from traitlets.config import Config

from grader.classroom import find_submissions, grade_class, open_launcher
from grader.course import Course, configure
from grader.made_up import fill, solution_cells
from grader.release import release_lab
from grader.solved import dump, read_solved
from workshop.lab import REPOSITORY, Lab


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", default="lab1")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--submissions", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="+", help="only the kit, with classes of these sizes")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)  # what main starts as a command of its own
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    lab = Lab.find(chosen.lab)
    if chosen.side:
        SIDES[chosen.side](chosen.folder, lab, chosen.workers)
    elif chosen.sizes:
        for size in chosen.sizes:
            took = run_side("kit", lab, size, chosen.workers)
            print(f"{size:5} submissions: {took:6.1f} s, {1000 * took / size:6.1f} ms a submission", flush=True)
    else:
        size = chosen.submissions
        print(f"{size} submissions of {lab.id}, start-up included")
        plain = run_side("plain", lab, size, 1)
        print(f"plain nbgrader:            {plain:6.1f} s", flush=True)
        ours = run_side("kit", lab, size, chosen.workers)
        print(f"admit-one, {chosen.workers} workers:      {ours:6.1f} s")
        print(f"ratio:                     {plain / ours:6.1f}")


def run_side(side: str, lab: Lab, size: int, workers: int) -> float:
    """Seconds that one side takes for a fresh class, as a command of its own."""
    with tempfile.TemporaryDirectory(prefix="admit-one-benchmark-") as name:
        folder = Path(name)
        hand_in(course_in(folder), lab, size)
        command = [sys.executable, "-m", "benchmarks.grading", "--side", side, "--folder", name]
        command += ["--lab", lab.id, "--workers", str(workers)]
        started = time.perf_counter()
        told = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True).stdout
        took = time.perf_counter() - started
        graded = json.loads(told.splitlines()[-1])
    if graded != {"graded": size, "points": size * lab.points}:
        raise SystemExit(f"{side}: not everybody got full marks: {graded}")
    return took


def course_in(folder: Path) -> Course:
    """A course with the repository's labs whose release, submissions and gradebook are in ``folder``."""
    return Course(REPOSITORY, release=f"{folder}/notebooks", work=f"{folder}/course")


def hand_in(course: Course, lab: Lab, size: int) -> None:
    """Release the lab and let ``size`` students hand in its solution, each with a line of their own."""
    folder = release_lab(course, lab)
    released = nbformat.read(folder / f"{lab.id}.ipynb", as_version=4)
    solved = solution_cells(read_solved(REPOSITORY, lab.id))
    for number in range(size):
        cells = {grade_id: f"{source}\n# student {number}" for grade_id, source in solved.items()}
        path = course.submitted / f"student{number:03}" / lab.id / f"{lab.id}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(dump(fill(released, cells)), encoding="utf-8")


def grade_plainly(folder: Path, lab: Lab, workers: int) -> None:
    """nbgrader's own preprocessors, one submission after another, as ``nbgrader autograde`` does it."""
    course = course_in(folder)
    config = configure(Config(), course)
    del config.Autograde
    from nbgrader.apps import NbGraderAPI

    api = NbGraderAPI(config=config)
    for submission in find_submissions(course, [lab.id]):
        done = api.autograde(lab.id, submission.student, force=True, create=True)
        if not done["success"]:
            raise SystemExit(f"{submission.student}: {done['error'] or done['log']}")
    tell_marks(course, lab)


def grade_with_the_kit(folder: Path, lab: Lab, workers: int) -> None:
    """What ``admit-one grade`` does, but for the progress bar and the table."""
    course = course_in(folder)
    with open_launcher(course.root, sandbox=True) as launch:
        for _ in grade_class(course, find_submissions(course, [lab.id]), launch, workers=workers):
            pass
    tell_marks(course, lab)


def tell_marks(course: Course, lab: Lab) -> None:
    """How many marks are in the gradebook and what they add up to: both sides must agree."""
    from nbgrader.api import Gradebook

    with Gradebook(course.db_url) as gradebook:
        marks = [submission.score for submission in gradebook.assignment_submissions(lab.id)]
    print(json.dumps({"graded": len(marks), "points": int(sum(marks))}))


SIDES = {"plain": grade_plainly, "kit": grade_with_the_kit}

if __name__ == "__main__":
    main(sys.argv[1:])
