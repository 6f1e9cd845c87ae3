"""Grades notebooks: cases, drivers, judge, the nbgrader plug-ins and the command line."""

from grader.check import CheckFailed, check

__all__ = ["CheckFailed", "check"]
