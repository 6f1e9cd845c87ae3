"""Makes lab 2's counting gates from lab 1's solved cell; admit-one check --write runs this."""

from pathlib import Path

from grader.made_up import solution_cells
from grader.solved import read_solved, solved_path
from workshop.permit import COUNTING_GATES

LAB1 = "lab1_fanout_replay"
HEAD = '''"""Lab 1's counting gates, generated from its solved notebook: admit-one check --write."""

from workshop.budget import ToolBudget


'''
MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


def make_data(root: Path) -> dict[str, str]:
    """The cell, word for word, under a line that says where it comes from."""
    if not solved_path(root, LAB1).is_file():  # a course without lab 1 keeps the file that it has
        return {}
    lines = solution_cells(read_solved(root, LAB1))["budget"].splitlines()
    return {COUNTING_GATES: HEAD + "\n".join(line for line in lines if line.strip() not in MARKS) + "\n"}
