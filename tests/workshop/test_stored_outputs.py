"""What the kit displays can be stored in a notebook: nbval runs it again and finds the same outputs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from workshop.lab import Lab

CELLS = (
    'from workshop.clock import board\nfrom workshop.lab import Lab\n\nboard(Lab.find("lab9"))',
    "from workshop.charts import CaseRow, call_tree, case_table, decision_list, queue_depth\n\n"
    'case_table([CaseRow("a", "1", "2", False)], title="t", passed=0, total=1, points=(0, 2), hint="h")',
    'decision_list([{"tool": "search", "ok": False, "reason": "total_cap"}])',
    'call_tree({"label": "agent", "denied": None, "children": []})',
    "queue_depth([(0, 1), (1, 2)], [(0, 1)])",
    "from workshop.cards import StampCard\n\nStampCard(read_transcripts=dict)",
)


def test_nbval_finds_the_same_outputs_again(lab: Lab, tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, store_widget_state=False, resources=resources).execute()
    for cell in notebook.cells:
        for output in cell.outputs:  # as `release` does: without its model the view is of no use
            output.data.pop("application/vnd.jupyter.widget-view+json", None)
    nbformat.write(notebook, tmp_path / "shown.ipynb")
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--nbval",
            "--nbval-current-env",
            "-q",
            "-p",
            "no:cacheprovider",
            "shown.ipynb",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert f"{len(CELLS)} passed" in run.stdout
