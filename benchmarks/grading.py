"""Grades the same class with plain nbgrader and with the kit, sandbox on, and prints how many times faster that is.

    python -m benchmarks.grading                        40 submissions of lab 1, 2 workers, and the ratio
    python -m benchmarks.grading --sizes 20 100 500     the kit's cost a submission as the class grows

Both sides are the commands that an instructor types, so that starting Python and loading packages are in the time.
``nbgrader autograde`` runs the notebooks with its own Execute and scores them itself; ``admit-one grade`` runs each of
them twice (public and hidden cases) in sandboxes. Both leave their marks in a gradebook, and both must give full marks.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat

from grader.course import Course
from grader.made_up import fill, solution_cells
from grader.release import release_lab
from grader.solved import dump, read_solved
from workshop.lab import REPOSITORY, Lab, read_lab

PLAIN_CONFIG = """
from pathlib import Path

from grader.course import Course, configure

c = get_config()
configure(c, Course(Path(__file__).resolve().parent))
del c["Autograde"]  # nbgrader's own preprocessors
"""


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", default="lab1")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--submissions", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="+", help="only the kit, with classes of these sizes")
    chosen = parser.parse_args(arguments)
    lab = Lab.find(chosen.lab)
    plain = ["nbgrader", "autograde", lab.id, "--create"]
    ours = ["admit-one", "grade", lab.id, "--workers", str(chosen.workers), "--json"]
    if chosen.sizes:
        for size in chosen.sizes:
            took, _ = time_command(ours, lab, size)
            print(f"{size:5} submissions: {took:6.1f} s, {1000 * took / size:6.1f} ms a submission", flush=True)
        return
    size = chosen.submissions
    print(f"{size} submissions of {lab.id}, start-up included, {os.cpu_count()} processors")
    # Ours before and after: theirs takes a minute, in which another user of the machine may come or go.
    before, theirs, after = (time_command(command, lab, size) for command in (ours, plain, ours))
    name = f"admit-one grade --workers {chosen.workers}:"
    for what, (took, cpu) in ((name, before), ("nbgrader autograde:", theirs), (name, after)):
        print(f"{what:<30} {took:6.1f} s  (processor time {cpu:6.1f} s)")
    print(f"{'ratio:':<30} {2 * theirs[0] / (before[0] + after[0]):6.1f}")


def time_command(command: Sequence[str], lab: Lab, size: int) -> tuple[float, float]:
    """Seconds that ``command`` takes for a fresh class, by the clock and of the processors."""
    with tempfile.TemporaryDirectory(prefix="admit-one-benchmark-") as name:
        course = make_course(Path(name), lab, size)
        program = Path(sys.executable).parent / command[0]
        before, started = os.times(), time.perf_counter()
        done = subprocess.run([program, *command[1:]], cwd=course.root, capture_output=True, text=True)
        took, after = time.perf_counter() - started, os.times()
        if done.returncode:
            raise SystemExit(f"{command[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        refuse_other_marks(course, lab, size)
    spent = sum(after[2:4]) - sum(before[2:4])
    return took, spent


def make_course(root: Path, lab: Lab, size: int) -> Course:
    """A course with the one lab, released; ``size`` students hand in its solution, each with a line of their own."""
    for name in ("permits", f"fixtures/{lab.id}", f"solutions/{lab.id}"):
        shutil.copytree(REPOSITORY / name, root / name)
    (root / "nbgrader_config.py").write_text(PLAIN_CONFIG, encoding="utf-8")
    course = Course(root)
    folder = release_lab(course, read_lab(root / "fixtures" / lab.id, root / "permits"))
    released = nbformat.read(folder / f"{lab.id}.ipynb", as_version=4)
    solved = solution_cells(read_solved(root, lab.id))
    for number in range(size):
        cells = {grade_id: f"{source}\n# student {number}" for grade_id, source in solved.items()}
        path = course.submitted / f"student{number:03}" / lab.id / f"{lab.id}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(dump(fill(released, cells)), encoding="utf-8")
    return course


def refuse_other_marks(course: Course, lab: Lab, size: int) -> None:
    """Each side must have given everybody full marks: else it was fast at something else."""
    from nbgrader.api import Gradebook

    with Gradebook(course.db_url, "admit-one") as gradebook:
        marks = [submission.score for submission in gradebook.assignment_submissions(lab.id)]
    if marks != [lab.points] * size:
        raise SystemExit(f"not everybody got full marks: {marks}")


if __name__ == "__main__":
    main(sys.argv[1:])
