"""Writes lab 2's counting gates from lab 1's solved notebook: python -m tests.labs.write_counting_gates."""

from __future__ import annotations

from grader.made_up import solution_cells
from tests.solved import solved_notebook
from workshop.lab import Lab
from workshop.permit import COUNTING_GATES

HEAD = '''"""Lab 1's counting gates, generated from its solved notebook: python -m tests.labs.write_counting_gates."""

from workshop.budget import ToolBudget


'''
MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


def counting_gates_source() -> str:
    """The file as it must stand: the solved cell under a line that says where it comes from."""
    lines = solution_cells(solved_notebook("lab1_fanout_replay"))["budget"].splitlines()
    return HEAD + "\n".join(line for line in lines if line.strip() not in MARKS) + "\n"


if __name__ == "__main__":
    (Lab.find("lab2").data / COUNTING_GATES).write_text(counting_gates_source(), encoding="utf-8")
