"""The preprocessors that nbgrader runs: repair, run and judge, save verdicts, feedback (spec 4, inside nbgrader)."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from traitlets import Bool, Unicode

from grader.course import Course
from grader.exam import Exam, read_exam
from grader.graded_notebook import METADATA, STATUS_CELL, show_result
from grader.launch import CouldNotLaunch, launch_process
from grader.record import set_grade
from grader.results import Result, ResultStore, submission_key
from grader.sandbox import sandboxes
from grader.status import MARKED_BY_HAND, STATUSES
from grader.submission import grade_with_retry, lab_version, mend, read_submission
from grader.verdict_file import VERDICT_FILE, verdict_document

Converted = tuple[NotebookNode, ResourcesDict]


class NotGraded(Exception):
    """Feedback was asked for where neither judge nor person gave a mark: the page would print 0."""


class CoursePreprocessor(NbGraderPreprocessor):  # type: ignore[misc]
    """A preprocessor that knows the course; see grader.course.Course for the three names."""

    root = Unicode(help="the repository").tag(config=True)
    release = Unicode("notebooks", help="the released notebooks, below root").tag(config=True)
    work = Unicode("course", help="submissions, results and gradebook, below root").tag(config=True)

    @property
    def course(self) -> Course:
        return Course(Path(self.root), self.release, self.work)


class Repair(CoursePreprocessor):
    """Rebuild the submission on the released notebook, before nbgrader restores locked cells."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> Converted:
        notebook, notes, _ = mend(nb, read_exam(self.course, resources["nbgrader"]["assignment"]))
        for note in notes:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], note)
        return notebook, resources


class RunAndJudge(CoursePreprocessor):
    """Run the notebook in a child, ask its grading cells, judge outside; or take the result that is already there."""

    sandbox = Bool(True, help="False runs student code unisolated: for code you trust").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> Converted:
        names = resources["nbgrader"]
        exam = read_exam(self.course, names["assignment"])
        lab = exam.lab
        submitted = self.course.submitted / names["student"] / lab.id / f"{names['notebook']}.ipynb"
        data = read_submission(submitted)
        key = submission_key(data, lab_version(self.course, lab))
        result = self._result(key, data, exam)
        if result.status == "could_not_grade":
            self.log.error("%s: could not grade: %s", names["student"], "; ".join(result.notes))
        show_result(nb, result)
        resources[METADATA] = result
        resources.setdefault("outputs", {})[VERDICT_FILE] = verdict_document(result, lab, key, data).encode()
        return nb, resources

    def _result(self, key: str, data: bytes, exam: Exam) -> Result:
        """What is known from before, or computed here in a sandbox of its own, and then kept."""
        store = ResultStore(self.course)
        known = store.get(key)
        if known is not None:
            return known
        try:
            with sandboxes(self.course.root) if self.sandbox else nullcontext(launch_process) as launch:
                result = grade_with_retry(data, exam, launch)
        except CouldNotLaunch as problem:
            return Result("could_not_grade", (str(problem),), {}, {})
        store.put(key, result)
        return result


class SaveVerdicts(SaveAutoGrades):  # type: ignore[misc]
    """Points come from the judge, never from what a cell shows. Nothing judged: no mark, and a person must look."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> Converted:
        self._result: Result = resources[METADATA]
        nb, resources = super().preprocess(nb, resources)
        paper = self.gradebook.find_submission_notebook(self.notebook_id, self.assignment_id, self.student_id)
        paper.flagged = STATUSES[self._result.status].needs_a_look
        self.gradebook.db.commit()
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: ResourcesDict) -> None:
        grade_id = cell.metadata["nbgrader"]["grade_id"]
        grade = self.gradebook.find_grade(grade_id, self.notebook_id, self.assignment_id, self.student_id)
        set_grade(grade, self._result.reports.get(grade_id))
        self.gradebook.db.commit()


class FeedbackOnlyVerdicts(NbGraderPreprocessor):  # type: ignore[misc]
    """On a feedback page stand the student's source and what the judge wrote; nothing that student code printed.

    Where the grading failed there is a page once a person has marked every cell.
    """

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> Converted:
        found = nb.metadata.get(METADATA, {"status": "could_not_grade"})
        if found["status"] == "could_not_grade":
            if not self._is_marked_by_hand(resources["nbgrader"]):
                raise NotGraded(f"{resources['nbgrader']['student']} was not graded, so there is no feedback to write")
            for cell in nb.cells:
                if cell.get("id") == STATUS_CELL:
                    cell.source = f"**{MARKED_BY_HAND}**"
        for cell in nb.cells:
            if cell.cell_type == "code" and not utils.is_grade(cell):
                cell.outputs = []
            cell.pop("attachments", None)
        return nb, resources

    def _is_marked_by_hand(self, names: dict[str, str]) -> bool:
        with Gradebook(names["db_url"]) as gradebook:
            paper = gradebook.find_submission_notebook(names["notebook"], names["assignment"], names["student"])
            return all(grade.manual_score is not None for grade in paper.grades)
