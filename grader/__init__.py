"""Grades notebooks: cases, drivers, judge, the nbgrader plug-ins and the command line."""
