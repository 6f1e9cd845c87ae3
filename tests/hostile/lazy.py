"""The hostile class, 4: lazy students. Each solves nothing: every function of a lab gives one thing for everything."""

from __future__ import annotations

from itertools import zip_longest

from grader.made_up import MadeUp, solution_cells
from tests.hostile.unearned import read_unearned
from tests.submissions import released_notebook


def lazy_students(lab_id: str) -> list[MadeUp]:
    """The first writes the first thing into each cell, and so on; where a cell has no more it stays as released."""
    untouched = {
        name: source.replace("\nraise NotImplementedError", "\n")  # at the top level it would end the whole notebook
        for name, source in solution_cells(released_notebook(lab_id)).items()
    }
    lazy = read_unearned(lab_id).lazy
    cells = {
        name: [written["cell"].replace("...", thing) for thing in written["gives"]] for name, written in lazy.items()
    }
    return [
        MadeUp(
            f"lazy-{number}",
            untouched | {name: source for name, source in zip(cells, sources, strict=True) if source is not None},
            (),
            None,
        )
        for number, sources in enumerate(zip_longest(*cells.values()), start=1)
    ]
