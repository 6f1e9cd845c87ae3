"""The graded notebook: the student's cells, what they printed, the judge's reports, and the status on top."""

from __future__ import annotations

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

from grader.feedback import as_html, as_plain, as_summary
from grader.grading import CellOutput
from grader.submission import Result

METADATA = "admit_one"
"""Our place in a graded notebook's metadata."""


def show_result(notebook: NotebookNode, result: Result) -> None:
    """Put ``result`` into a mended notebook (grader.submission.mend), for the formgrader and for feedback pages."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = _outputs(result, cell)
    summary = as_summary(result.status, result.notes, result.reports)
    notebook.cells.insert(0, new_markdown_cell(summary, id="admit-one-status"))
    notebook.metadata[METADATA] = {"status": result.status}


def _outputs(result: Result, cell: NotebookNode) -> list[NotebookNode]:
    nbgrader = cell.metadata.get("nbgrader", {})
    if nbgrader.get("grade"):
        report = result.reports.get(nbgrader["grade_id"])
        if report is None:
            return []
        return [new_output("display_data", {"text/plain": as_plain(report), "text/html": as_html(report)})]
    output = result.outputs.get(cell.id, CellOutput())
    made = []
    if output.printed:
        made.append(new_output("stream", name="stdout", text=output.printed))
    if output.error:
        kind, message = output.error
        made.append(new_output("error", ename=kind, evalue=message, traceback=[f"{kind}: {message}"]))
    return made
