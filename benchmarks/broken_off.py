"""Grades a large class twice: undisturbed, and with one kill -9 in the middle and the same command again.

    python -m benchmarks.broken_off --submissions 500

Says whether both came to the same marks and verdicts, what was graded twice (nothing), how long it took, and how much
memory the command, its writer and all its sandboxes had at their peak (proportional set size: shared pages count once).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
import psutil

from benchmarks.grading import make_course
from grader.course import Course
from grader.made_up import fill, read_cells
from grader.solved import dump
from workshop.lab import REPOSITORY, Lab

GRADE = (str(Path(sys.executable).parent / "admit-one"), "grade", "--json")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", default="lab1")
    parser.add_argument("--submissions", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args(arguments)
    lab, size = Lab.find(chosen.lab), chosen.submissions
    command = [*GRADE, "--workers", str(chosen.workers)]
    with tempfile.TemporaryDirectory(prefix="admit-one-benchmark-") as name:
        course = make_course(Path(name, "undisturbed"), lab, size)
        some_go_wrong(course, lab)
        other = Course(Path(shutil.copytree(course.root, Path(name, "broken_off"))))

        seconds, megabytes = run(course, command)
        print(f"undisturbed: {size} submissions in {seconds:.0f} s, {1000 * seconds / size:.0f} ms each", flush=True)
        own, tree = megabytes
        print(f"peak memory: the command {own:.0f} MB, with its writer and its sandboxes {tree:.0f} MB", flush=True)

        before, _ = run(other, command, until=lambda: len(results(other)) >= size // 2)
        kept = results(other)
        print(f"kill -9 after {before:.0f} s, {len(kept)} results kept", flush=True)
        after, _ = run(other, command)
        twice = sum(results(other)[name] != written for name, written in kept.items())
        print(f"again: done in {after:.0f} s; {twice} graded twice")
        same = outcome(course, lab) == outcome(other, lab)
        print("marks and verdicts: the same, byte for byte" if same else "marks and verdicts DIFFER")
        if twice or not same:
            raise SystemExit(1)


def some_go_wrong(course: Course, lab: Lab) -> None:
    """Every second student makes one of the lab's named mistakes."""
    mistakes = sorted((REPOSITORY / "tests" / "mutants" / lab.id).glob("*.py"))
    for number, path in enumerate(sorted(course.submitted.glob(f"*/{lab.id}/{lab.id}.ipynb"))[::2]):
        cells = read_cells(mistakes[number % len(mistakes)]).cells
        own = {grade_id: f"{source}\n# number {number}" for grade_id, source in cells.items()}
        path.write_text(dump(fill(nbformat.read(path, as_version=4), own)), encoding="utf-8")


def run(
    course: Course, command: Sequence[str], until: Callable[[], bool] = lambda: False
) -> tuple[float, tuple[float, float]]:
    """Seconds, and peak MB of the command and of its whole tree; where ``until`` comes true all is killed."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=course.root, stdout=subprocess.DEVNULL, start_new_session=True)
    peak = (0.0, 0.0)
    while process.poll() is None:
        own, tree = memory(process.pid)
        peak = max(peak[0], own), max(peak[1], tree)
        if until():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return time.perf_counter() - started, peak
        time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"the command failed with {process.returncode}")
    return time.perf_counter() - started, peak


def memory(pid: int) -> tuple[float, float]:
    """MB of a process and of it with all its descendants."""
    own = tree = 0.0
    with contextlib.suppress(psutil.NoSuchProcess):
        for member in (top := psutil.Process(pid), *top.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                used = member.memory_full_info().pss / 1e6
                own = own or used
                tree += used
    return own, tree


def results(course: Course) -> dict[str, int]:
    """The kept results, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in (course.root / "course" / "results").glob("[!.]*.json")}


def outcome(course: Course, lab: Lab) -> tuple[dict[str, bytes], dict[str, Any]]:
    """All verdicts' bytes and all marks in the gradebook, by student."""
    from nbgrader.api import Gradebook

    verdicts = {path.parent.parent.name: path.read_bytes() for path in course.autograded.rglob("verdict.json")}
    with Gradebook(course.db_url) as gradebook:
        marks = {
            one.student.id: (one.score, one.needs_manual_grade) for one in gradebook.assignment_submissions(lab.id)
        }
    return verdicts, marks


if __name__ == "__main__":
    main(sys.argv[1:])
