"""The graded notebook: the student's cells, what they printed, the judge's reports, and the status on top."""

from __future__ import annotations

from nbformat import NotebookNode

from grader.feedback import as_html, as_plain, as_summary
from grader.grading import CellOutput
from grader.results import Result

STATUS_CELL = "admit-one-status"
METADATA = "admit_one"
"""Our place in a graded notebook's metadata."""


def show_result(notebook: NotebookNode, result: Result) -> None:
    """Put ``result`` into a mended notebook (grader.submission.mend), for the formgrader and for feedback pages.

    The nodes are made by hand: nbformat.v4.new_output holds each against a schema, which takes longer than the rest.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = _outputs(result, cell)
    summary = as_summary(result.status, result.notes, result.reports)
    top = NotebookNode(id=STATUS_CELL, cell_type="markdown", metadata=NotebookNode(), source=summary)
    notebook.cells.insert(0, top)
    notebook.metadata[METADATA] = {"status": result.status}


def _outputs(result: Result, cell: NotebookNode) -> list[NotebookNode]:
    nbgrader = cell.metadata.get("nbgrader", {})
    if nbgrader.get("grade"):
        report = result.reports.get(nbgrader["grade_id"])
        if report is None:
            return []
        data = {"text/plain": as_plain(report), "text/html": as_html(report)}
        return [NotebookNode(output_type="display_data", metadata=NotebookNode(), data=NotebookNode(data))]
    output = result.outputs.get(cell.id, CellOutput())
    made = []
    if output.printed:
        made.append(NotebookNode(output_type="stream", name="stdout", text=output.printed))
    if output.error:
        kind, message = output.error
        made.append(NotebookNode(output_type="error", ename=kind, evalue=message, traceback=[f"{kind}: {message}"]))
    return made
