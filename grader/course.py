"""Where a course keeps its files, and nbgrader's configuration for it: the documented settings, nothing forked."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

if TYPE_CHECKING:
    from nbgrader.apps import NbGraderAPI

from grader.cases import HIDDEN_FILE
from grader.diagnose import HIDDEN_PATTERNS_FILE
from stub_server.errors import Mendable

_NBGRADER = "nbgrader.preprocessors."
MAKE_DATA = "make_data.py"
_NEVER_COPIED = (HIDDEN_FILE, HIDDEN_PATTERNS_FILE, MAKE_DATA, "design.md", "verdict.json", "card.json")
"""nbgrader copies what lies beside a notebook to every student, unless it is ignored (spec 4)."""


class CourseNotWritable(Mendable):
    """A folder of the course cannot be written; the message says which, and why."""


@dataclass(frozen=True)
class Course:
    """A repository and the folders below it, as paths relative to ``root``.

    ``database`` is the gradebook's URL where it is not the file ``gradebook`` (docs/cluster.md).
    """

    root: Path
    release: str = "notebooks"
    work: str = "course"
    database: str | None = None

    @classmethod
    def at(cls, root: Path) -> Course:
        """The course at ``root``, its gradebook in the database that nbgrader_config.py names, if it names one."""
        return cls(root, database=_instructors_config(root).CourseDirectory.get("db_url"))

    @property
    def submitted(self) -> Path:
        return self.root / self.work / "submitted"

    @property
    def autograded(self) -> Path:
        return self.root / self.work / "autograded"

    @property
    def feedback(self) -> Path:
        return self.root / self.work / "feedback"

    @property
    def report(self) -> Path:
        """The class report; its CSV lies beside it."""
        return self.root / self.work / "report.html"

    @property
    def gradebook(self) -> Path:
        return self.root / self.work / "gradebook.db"

    @property
    def db_url(self) -> str:
        return self.database or f"sqlite:///{self.gradebook}"


@contextmanager
def writing(course: Course, folder: Path) -> Iterator[None]:
    """Around what writes into ``folder`` of the course: raises CourseNotWritable where that cannot be."""
    try:
        yield
    except OSError as problem:
        name = folder.relative_to(course.root).as_posix()
        raise CourseNotWritable(
            f"{name}/ cannot be written: {problem.strerror}: make it writable, with room, and run again"
        ) from problem


def configure(config: Config, course: Course) -> Config:
    """Set nbgrader up for ``course``; used by nbgrader_config.py and by the commands, so that both grade alike."""
    directories = config.CourseDirectory
    directories.course_id = "admit-one"
    directories.root = str(course.root)
    directories.source_directory = "solutions"
    directories.release_directory = course.release
    directories.submitted_directory = f"{course.work}/submitted"
    directories.autograded_directory = f"{course.work}/autograded"
    directories.feedback_directory = f"{course.work}/feedback"
    directories.db_url = course.db_url
    directories.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", *_NEVER_COPIED]
    # The exercise itself, nothing unfinished of ours: it stands in a student's cell in place of the solution, and the
    # judge knows it again as not filled in.
    config.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError"}
    config.Autograde.sanitize_preprocessors = [
        _NBGRADER + "ClearOutput",
        "grader.plugins.Repair",
        _NBGRADER + "DeduplicateIds",
        _NBGRADER + "OverwriteKernelspec",
        _NBGRADER + "OverwriteCells",
        _NBGRADER + "CheckCellMetadata",
    ]
    config.Autograde.autograde_preprocessors = [
        "grader.plugins.RunAndJudge",
        _NBGRADER + "LimitOutput",
        "grader.plugins.SaveVerdicts",
        _NBGRADER + "AssignLatePenalties",
        _NBGRADER + "CheckCellMetadata",
    ]
    config.GenerateFeedback.preprocessors = [
        _NBGRADER + "GetGrades",
        "grader.plugins.FeedbackOnlyVerdicts",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    config.CoursePreprocessor.root = str(course.root)
    config.CoursePreprocessor.release = course.release
    config.CoursePreprocessor.work = course.work
    config.Autograde.pre_convert_hook = lambda **names: _refuse_links(course, **names)
    config.GenerateAssignment.post_convert_hook = lambda **names: _finish_release(course, **names)
    config.HTMLExporter.sanitize_html = True
    _put_interpreter_first()
    return config


def _refuse_links(course: Course, assignment: str, student: str, **_: Any) -> None:
    """nbgrader follows links: one to the solution would be graded. Take the links away, not what they point to.

    Pipes and sockets go too: nbgrader would fail on copying them.
    """
    folder = course.submitted / student / assignment
    for path in (folder.parent, folder, *folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            logging.getLogger("admit_one").warning("removed %s, which is no regular file, from a submission", path)
            path.unlink()


def _finish_release(course: Course, assignment: str, **_: Any) -> None:
    """Plain ``nbgrader generate_assignment`` and the formgrader's button release the data files too."""
    from grader.release import finish_release  # which needs this module

    finish_release(course, assignment)


def nbgrader_config(course: Course) -> Config:
    """What nbgrader_config.py says, the instructor's own lines included, for the folders of this course."""
    return configure(_instructors_config(course.root), course)


def _instructors_config(root: Path) -> Config:
    path = root / "nbgrader_config.py"
    return PyFileConfigLoader(path.name, path=str(root)).load_config() if path.is_file() else Config()


def nbgrader_api(course: Course) -> NbGraderAPI:
    """nbgrader, as the commands use it, with the configuration that nbgrader_config.py gives."""
    from nbgrader.apps import NbGraderAPI  # which takes half a second to import
    from sqlalchemy.exc import SAWarning

    # SQLAlchemy 2.1 warns of what nbgrader's models have always done; nothing is lost by it.
    warnings.filterwarnings("ignore", category=SAWarning)
    with writing(course, course.root / course.work):
        course.gradebook.parent.mkdir(parents=True, exist_ok=True)
    return NbGraderAPI(config=nbgrader_config(course))


def _put_interpreter_first() -> None:
    """nbgrader calls ``alembic`` by name: find the one of this environment."""
    here = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", "")
    if path.split(os.pathsep)[0] != here:
        os.environ["PATH"] = os.pathsep.join([here, path])
