"""Reads the bytes of a notebook, or refuses them: nothing else comes of them, whatever they hold."""

from __future__ import annotations

from functools import lru_cache

from nbformat import NotebookNode, convert, reader

MOST_PARTS = 200_000
"""JSON objects and lists in a notebook; one of 100 cells with plots has about 2,000."""


class NotANotebook(Exception):
    """There is no notebook of this lab that could be graded; the message says why."""


@lru_cache(maxsize=4)
def read_notebook(data: bytes) -> NotebookNode:
    """The notebook in ``data``, whatever its minor version; raises NotANotebook. Change only copies of it."""
    if data.count(b"{") + data.count(b"[") > MOST_PARTS:  # each costs a hundred times its byte once it is read
        raise NotANotebook("not a notebook: it has too many parts")
    try:
        # Not nbformat.reads: that warns of each cell that stands twice, and gives it an id by chance.
        notebook: NotebookNode = convert(reader.reads(data.decode("utf-8")), 4)
    except UnicodeDecodeError as problem:
        raise NotANotebook("not a notebook: it is not UTF-8") from problem
    except reader.NotJSONError as problem:
        raise NotANotebook("not a notebook: it is not JSON") from problem
    except Exception as problem:
        raise NotANotebook("not a notebook: it is JSON of another form") from problem
    return notebook
