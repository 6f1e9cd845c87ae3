"""What an LMS calls things in its gradebook's CSV and its zip of hand-ins, and how its importer reads them: a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Lms:
    """One LMS. Its importer is told by ``how``; ``assumes`` is what is taken for granted without a roster.

    Columns: ``names`` hold a person's name, ``keys`` tell people apart, best first; ``alone`` are written without a
    roster, each with whether a student's id stands in it. ``also_called`` has names of columns that mean another. Up to
    ``up_to``, if any, columns say whose line it is. ``points_row`` begins the line of points possible, if any.
    Regular expressions: ``no_lab`` finds a column that is no lab's, ``around_a_title`` what is added to an assignment's
    title. In its zip of hand-ins ``behind_a_name`` is what follows a student's name and tells no two apart, and
    ``left_behind_it`` what may follow then, which the roster does not have.
    Cells: ``none`` is an empty grade, ``kept`` what must stay as it is, and why, ``unsafe`` characters are misread.
    """

    name: str
    how: str
    assumes: str
    names: tuple[str, ...]
    keys: tuple[str, ...]
    alone: tuple[tuple[str, bool], ...]
    also_called: dict[str, str]
    up_to: str
    points_row: str
    behind_a_name: str
    left_behind_it: str
    no_lab: str
    around_a_title: str
    none: str
    kept: dict[str, str]
    unsafe: str
    has_comments: bool
    stops_at_a_stranger: bool


# Read 2026-11 in Canvas: lib/gradebook_importer.rb. The header is Student, ID, ... up to Section, and every other
# column is an assignment, so a column with the status would become one. "Name (123)" is the assignment 123, else the
# name decides. People are found by ID, then SIS User ID, SIS Login ID, name; whoever is not found is asked about. An
# empty cell clears a grade. A byte order mark or a semicolon as delimiter does no harm. lib/content_zipper.rb: a file
# is called by the sortable name, LATE where it is, the user's id, the attachment's id and its own name, with "_"
# between them.
CANVAS = Lms(
    name="Canvas",
    how="import it in Canvas under Grades > Import, which shows the changes before it makes them",
    assumes="a student's name here is the SIS Login ID, and an assignment is called as its column",
    names=("Student", "LastName", "FirstName"),
    keys=("SIS Login ID", "SIS User ID", "ID"),
    alone=(("Student", True), ("ID", False), ("SIS User ID", False), ("SIS Login ID", True), ("Section", False)),
    also_called={},
    up_to="Section",
    points_row="    Points Possible",
    behind_a_name=r"(_late)?(_\d+_\d+_.*)?",
    left_behind_it=r"(_late)?",
    no_lab=r"(Current|Final) (Score|Points|Grade)|Override",
    around_a_title=r"\s\(\d+\)$",
    none="",
    kept={"EX": "excused from", "N/A": "not assigned"},
    unsafe="",
    has_comments=False,
    stops_at_a_stranger=False,
)
# Read 2026-11 in Moodle: grade/import/csv/classes/load_data.php and lib/csvlib.class.php. A person maps each column.
# One person who is not found, or found twice, stops the whole import. An empty cell or "-" clears a grade; in a new
# grade item an empty cell is 0, and only "-" is none. PHP takes a backslash for an escape. A comment replaces the one
# that is there. mod/assign/classes/downloader.php: a folder is called by the full name, the participant's number and
# "assignsubmission_file", with "_" between them; the number tells two of one name apart.
MOODLE = Lms(
    name="Moodle",
    how="import it in Moodle under Grades > Import > CSV file, and map each lab to its grade item; map a (Feedback)"
    " column only where comments that are there may be replaced",
    assumes="a student's name here is the Moodle username",
    names=("Last name", "First name"),
    keys=("Username", "ID number", "Email address"),
    alone=(("Username", True),),
    also_called={"Surname": "Last name"},
    up_to="",
    points_row="",
    behind_a_name=r"_assignsubmission_[a-z]+(_.*)?",
    left_behind_it=r"(_\d+)?",
    no_lab=r"\((Feedback|Percentage|Letter)\)$|^Feedback: ",
    around_a_title=r"^Assignment: |\s\(Real\)$",
    none="-",
    kept={},
    unsafe="\\",
    has_comments=True,
    stops_at_a_stranger=True,
)
LMS = {lms.name.lower(): lms for lms in (CANVAS, MOODLE)}
