"""What lies in an inbox, a folder or a zip of hand-ins: its notebooks, read within bounds; nothing is unpacked to disk.

An archive may be a bomb, name its files ``../../x``, or hold links. So names only tell whose a notebook is, sizes are
counted as they are read and never believed, and what is no plain file is left out and told.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.bounds import MIB
from stub_server.errors import Mendable

LARGEST_NOTEBOOK = 64 * MIB
"""One whose cell printed 60 MB on one line is still read, and graded without its outputs."""
_LARGEST_ARCHIVE = 256 * MIB
_MOST_MEMBERS = 10_000
_DEEPEST = 2
"""An LMS zip holds packets; what is packed deeper than that is no hand-in."""
_LAB_FOLDER = re.compile(r"lab\d+(_|$)", re.IGNORECASE)
_LAB_DATA = ("data", "permits")
"""What lies beside a lab's notebook."""
_LEFT_OVER = (".ipynb_checkpoints", "__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


class InboxUnreadable(Mendable):
    """There is no such inbox."""


@dataclass(frozen=True)
class Found:
    """A notebook's bytes, or what is wrong with it; ``names`` are the folders and files it was found under.

    ``is_notebook`` is False for all that is neither a notebook nor a zip: it may be all that somebody handed in.
    """

    names: tuple[str, ...]
    data: bytes = b""
    problem: str = ""
    is_notebook: bool = True


def read_inbox(path: Path) -> Iterator[Found]:
    """Every file in a folder or zip, those in zips inside it too, of notebooks with their bytes.

    Raises InboxUnreadable.
    """
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            names = file.relative_to(path).parts
            if _is_left_over(names):
                continue
            if file.is_symlink():
                yield Found(names, problem="is a link")
            elif file.is_file():
                yield from _read_file(file, names)
    elif path.is_file() and path.suffix == ".zip":
        yield from _read_zip(path.read_bytes(), (), depth=1)
    else:
        raise InboxUnreadable(f"{path} is neither a folder nor a zip: give the folder or zip of hand-ins")


def _is_left_over(names: tuple[str, ...]) -> bool:
    """What Jupyter, macOS and Windows leave beside the files that a student means."""
    return any(name in _LEFT_OVER or name.startswith("._") for name in names)


def _read_file(file: Path, names: tuple[str, ...]) -> Iterator[Found]:
    most = {".ipynb": LARGEST_NOTEBOOK, ".zip": _LARGEST_ARCHIVE}.get(file.suffix)
    if most is None:
        yield Found(names, is_notebook=False)
    elif file.stat().st_size > most:
        yield Found(names, problem=f"is larger than {most // MIB} MiB")
    elif file.suffix == ".zip":
        yield from _read_zip(file.read_bytes(), names, depth=1)
    else:
        yield Found(names, file.read_bytes())


def _parts(member: zipfile.ZipInfo) -> tuple[str, ...]:
    return PurePosixPath(member.filename.replace("\\", "/")).parts


def _is_wrapped(members: list[zipfile.ZipInfo]) -> bool:
    """One folder around the hand-ins of several, as a zip made of a folder has it: it is no student.

    A student's own packet may hold a folder for each lab.
    """
    files = [parts for member in members if not member.is_dir() and not _is_left_over(parts := _parts(member))]
    inside = {parts[1] for parts in files if len(parts) > 2 or (len(parts) == 2 and parts[1].endswith(".zip"))}
    students = {name for name in inside if not _LAB_FOLDER.match(name) and name not in _LAB_DATA}
    return len({parts[:1] for parts in files}) == 1 and len(students) > 1


def _read_zip(data: bytes, names: tuple[str, ...], *, depth: int) -> Iterator[Found]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > _MOST_MEMBERS:
                yield Found(names, problem=f"holds more than {_MOST_MEMBERS} files")
                return
            if not members:
                yield Found(names, is_notebook=False)
            wrapping = 1 if depth == 1 and not names and _is_wrapped(members) else 0
            left = _LARGEST_ARCHIVE
            for member in members:
                inner = (*names, *_parts(member)[wrapping:])
                suffix = PurePosixPath(member.filename).suffix
                if member.is_dir() or _is_left_over(inner):
                    continue
                if suffix not in (".ipynb", ".zip") or (suffix == ".zip" and depth == _DEEPEST):
                    yield Found(inner, is_notebook=False)
                    continue
                if stat.S_ISLNK(member.external_attr >> 16):
                    yield Found(inner, problem="is a link")
                    continue
                most = min(left, LARGEST_NOTEBOOK if suffix == ".ipynb" else _LARGEST_ARCHIVE)
                with archive.open(member) as file:
                    content = file.read(most + 1)
                left -= len(content)
                if len(content) > most:
                    yield Found(inner, problem=f"unpacks to more than {most // MIB} MiB")
                elif suffix == ".ipynb":
                    yield Found(inner, content)
                else:
                    yield from _read_zip(content, inner, depth=depth + 1)
                if left <= 0:
                    yield Found(names, problem=f"unpacks to more than {_LARGEST_ARCHIVE // MIB} MiB")
                    return
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as problem:
        # broken, or with a password, or packed in a way that zipfile does not implement
        yield Found(names, problem=f"is no zip that can be read: {problem}")
