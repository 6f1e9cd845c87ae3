"""The preprocessors that nbgrader runs: repair, run and judge, save verdicts, feedback (spec 4, inside nbgrader)."""

from __future__ import annotations

import contextlib
from pathlib import Path

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from traitlets import Unicode

from grader.cases import hidden_cases, public_cases
from grader.feedback import STATUS_WORDS, check_html, check_text, verdict_json
from grader.grading import CellOutput, Graded, grade_notebook
from grader.launch import launch_process
from grader.repair import repair
from grader.verdict import CheckVerdict
from workshop.lab import Lab, read_lab

VERDICT_FILE = "verdict.json"
_KEY = "admit_one"
"""Our place in a graded notebook's metadata and in nbconvert's resources."""

Result = tuple[NotebookNode, ResourcesDict]


class NotGraded(Exception):
    """Feedback was asked for where there is no verdict: a page would print 0 for what nobody judged."""


class _LabPreprocessor(NbGraderPreprocessor):  # type: ignore[misc]
    """A preprocessor that knows where the labs are."""

    root = Unicode(help="the folder that holds fixtures/, permits/ and solutions/").tag(config=True)
    release = Unicode("notebooks", help="the released notebooks, below root").tag(config=True)

    def lab(self, resources: ResourcesDict) -> Lab:
        root = Path(self.root)
        return read_lab(root / "fixtures" / resources["nbgrader"]["assignment"], root / "permits")


class Repair(_LabPreprocessor):
    """Rebuild the submission on the released notebook, before nbgrader restores locked cells."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> Result:
        names = resources["nbgrader"]
        released = Path(self.root) / self.release / names["assignment"] / f"{names['notebook']}.ipynb"
        repaired = repair(nb, nbformat.read(released, as_version=4))
        notes = [*repaired.notes, *(f"grading cell {key} was changed" for key in repaired.changed_checks)]
        for note in notes:
            self.log.warning("%s: %s", names["student"], note)
        repaired.notebook.metadata[_KEY] = {"notes": notes, "is_tampered": bool(repaired.changed_checks)}
        return repaired.notebook, resources


class RunAndJudge(_LabPreprocessor):
    """Run the notebook in a child, ask its grading cells, judge outside, and write the verdicts beside the code."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> Result:
        lab = self.lab(resources)
        found = nb.metadata.get(_KEY, {})
        graded = grade_notebook(
            nb, lab, public_cases(lab), hidden_cases(lab, Path(self.root) / "solutions"), launch_process
        )
        if found.get("is_tampered") and graded.status != "could_not_grade":
            graded = Graded("tampered", graded.verdicts, graded.outputs, graded.notes)
        if graded.status == "could_not_grade":
            self.log.error("%s: could not grade: %s", resources["nbgrader"]["student"], "; ".join(graded.notes))
        for index, cell in enumerate(nb.cells):
            if cell.cell_type == "code":
                cell.outputs = _outputs(graded, lab, cell, index)
        notes = tuple(found.get("notes", ()))
        nb.metadata[_KEY] = {"status": graded.status, "notes": [*notes, *graded.notes]}
        resources[_KEY] = graded
        outputs = resources.setdefault("outputs", {})
        outputs[VERDICT_FILE] = verdict_json(graded, lab, notes).encode()
        return nb, resources


def _outputs(graded: Graded, lab: Lab, cell: NotebookNode, index: int) -> list[NotebookNode]:
    if utils.is_grade(cell):
        verdict = graded.verdicts.get(cell.metadata.nbgrader.grade_id)
        return [_verdict_output(verdict, lab)] if verdict else []
    output = graded.outputs.get(index, CellOutput())
    made = []
    if output.printed:
        made.append(new_output("stream", name="stdout", text=output.printed))
    if output.error:
        kind, message = output.error
        made.append(new_output("error", ename=kind, evalue=message, traceback=[f"{kind}: {message}"]))
    return made


def _verdict_output(verdict: CheckVerdict, lab: Lab) -> NotebookNode:
    return new_output("display_data", {"text/plain": check_text(verdict, lab), "text/html": check_html(verdict, lab)})


class SaveVerdicts(SaveAutoGrades):  # type: ignore[misc]
    """Points come from the judge, never from what a cell shows. Nothing judged: no mark, and a person must look."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> Result:
        graded: Graded = resources[_KEY]
        self._verdicts = graded.verdicts
        nb, resources = super().preprocess(nb, resources)
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: ResourcesDict) -> None:
        grade_id = cell.metadata["nbgrader"]["grade_id"]
        grade = self.gradebook.find_grade(grade_id, self.notebook_id, self.assignment_id, self.student_id)
        verdict = self._verdicts.get(grade_id)
        grade.auto_score = None if verdict is None else float(verdict.points)
        grade.needs_manual_grade = verdict is None or grade.manual_score is not None
        self.gradebook.db.commit()


class FeedbackOnlyVerdicts(NbGraderPreprocessor):  # type: ignore[misc]
    """On a feedback page stand the student's source and what the judge wrote; nothing that student code printed."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> Result:
        status = nb.metadata.get(_KEY, {}).get("status", "could_not_grade")
        if status == "could_not_grade":
            raise NotGraded(f"{resources['nbgrader']['student']} was not graded, so there is no feedback to write")
        notes = nb.metadata[_KEY]["notes"]
        for cell in nb.cells:
            if cell.cell_type == "code" and not utils.is_grade(cell):
                cell.outputs = []
            with contextlib.suppress(KeyError):
                del cell["attachments"]
        lines = [STATUS_WORDS[status], *(f"- {note}" for note in notes)]
        nb.cells.insert(0, nbformat.v4.new_raw_cell("\n".join(lines)))
        return nb, resources
