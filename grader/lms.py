"""What an LMS calls things in its gradebook's CSV, and how its importer reads them: a table of data, no more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Lms:
    """One LMS. Its importer is told by ``how``; ``assumes`` is what is taken for granted without a roster.

    Columns: ``names`` hold a person's name, ``keys`` tell people apart, best first; ``alone`` are written without a
    roster, each with whether a student's id stands in it. ``points_row`` begins the line of points possible, if any.
    Cells: ``none`` is an empty grade, ``kept`` what must stay as it is, and why, ``unsafe`` characters are misread.
    """

    name: str
    how: str
    assumes: str
    names: tuple[str, ...]
    keys: tuple[str, ...]
    alone: tuple[tuple[str, bool], ...]
    points_row: str
    none: str
    kept: dict[str, str]
    unsafe: str
    has_comments: bool
    stops_at_a_stranger: bool


# lib/gradebook_importer.rb of Canvas: the header is Student, ID, ... up to Section, and every other column is an
# assignment, so a column with the status would become one. "Name (123)" is the assignment 123, else the name decides.
# People are found by ID, then SIS User ID, SIS Login ID, name; whoever is not found is asked about. An empty cell
# clears a grade. A byte order mark or a semicolon as delimiter does no harm.
CANVAS = Lms(
    name="Canvas",
    how="import it in Canvas under Grades > Import, which shows the changes before it makes them",
    assumes="a student's name here is the SIS Login ID, and an assignment is called as its column",
    names=("Student", "LastName", "FirstName"),
    keys=("SIS Login ID", "SIS User ID", "ID"),
    alone=(("Student", True), ("ID", False), ("SIS User ID", False), ("SIS Login ID", True), ("Section", False)),
    points_row="    Points Possible",
    none="",
    kept={"EX": "excused from", "N/A": "not assigned"},
    unsafe="",
    has_comments=False,
    stops_at_a_stranger=False,
)
# grade/import/csv/classes/load_data.php and lib/csvlib.class.php of Moodle: a person maps each column. One person who
# is not found, or found twice, stops the whole import. An empty cell or "-" clears a grade; in a new grade item an
# empty cell is 0, and only "-" is none. PHP takes a backslash for an escape. A comment replaces the one that is there.
MOODLE = Lms(
    name="Moodle",
    how="import it in Moodle under Grades > Import > CSV file, and map each lab to its grade item; map a (Feedback)"
    " column only where comments that are there may be replaced",
    assumes="a student's name here is the Moodle username",
    names=("Last name", "First name"),
    keys=("Username", "ID number", "Email address"),
    alone=(("Username", True),),
    points_row="",
    none="-",
    kept={},
    unsafe="\\",
    has_comments=True,
    stops_at_a_stranger=True,
)
LMS = {lms.name.lower(): lms for lms in (CANVAS, MOODLE)}
