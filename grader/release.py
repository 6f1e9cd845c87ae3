"""From solutions/ to notebooks/: nbgrader makes the student's version, the lab's data files go beside it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import nbformat

from grader.course import Course, nbgrader_api
from grader.launch import furnish
from grader.room import room_files
from grader.solved import dump, in_step, read_solved, run_again, solved_path
from stub_server.errors import Mendable
from workshop.lab import Lab, all_labs, read_lab


class ReleaseFailed(Mendable):
    """nbgrader could not make a student's version; the message holds its last words."""


def release_lab(course: Course, lab: Lab) -> Path:
    """Make the student's version of ``lab`` and register it in the gradebook; gives its folder."""
    done = nbgrader_api(course).generate_assignment(lab.id, force=True, create=True)
    if not done["success"]:
        last = (done.get("error") or done.get("log") or "no word").strip().splitlines()[-1]
        raise ReleaseFailed(f"{lab.id}: {last}; run nbgrader generate_assignment {lab.id} --debug to see more")
    return course.root / course.release / lab.id


def finish_release(course: Course, lab_id: str) -> None:
    """Put the data files beside a released notebook and write it in the tidy form."""
    folder = course.root / course.release / lab_id
    lab = read_lab(course.root / "fixtures" / lab_id, course.root / "permits")
    for name in ("data", "permits"):
        shutil.rmtree(folder / name, ignore_errors=True)
    furnish(folder, room_files(lab))
    path = folder / f"{lab_id}.ipynb"
    path.write_text(dump(nbformat.read(path, as_version=4)), encoding="utf-8")


def update_solved(root: Path, lab: Lab, *, run: bool) -> bool:
    """Bring the solved notebook in step with lab.toml, with ``run`` from a fresh run; True where it changed."""
    path = solved_path(root, lab.id)
    before = path.read_text(encoding="utf-8")
    notebook = read_solved(root, lab.id)
    if run:
        notebook = run_again(notebook, path.parent)
    after = dump(in_step(notebook, lab))
    if after != before:
        path.write_text(after, encoding="utf-8")
    return after != before


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that nobody keeps: for what nbgrader makes, and for its gradebook, whose making takes a second."""
    with tempfile.TemporaryDirectory(prefix="admit-one-") as folder:
        yield Path(folder)


def find_differences(root: Path, scratch: Path) -> list[str]:
    """What of solutions/ and notebooks/ is not what ``admit-one release`` would write; one line each."""
    labs = all_labs(root)
    found = [
        f"{solved_path(root, lab.id).relative_to(root)} is not in step with lab.toml"
        for lab in labs
        if dump(in_step(read_solved(root, lab.id), lab)) != solved_path(root, lab.id).read_text(encoding="utf-8")
    ]
    fresh = Course(root, release=f"{scratch}/notebooks", work=f"{scratch}/course")
    for lab in labs:
        found += _compare(release_lab(fresh, lab), root / "notebooks" / lab.id, root)
    strangers = {path.name for path in (root / "notebooks").glob("*")} - {lab.id for lab in labs}
    return found + [f"notebooks/{name} belongs to no lab" for name in sorted(strangers)]


def bring_in_step(root: Path, labs: Sequence[Lab], scratch: Path) -> list[str]:
    """Write what find_differences would find in the folders of ``labs``; the paths that changed."""
    course = Course(root, work=f"{scratch}/course")
    return [name for lab in labs for name in release_anew(course, lab, run=False)]


def release_anew(course: Course, lab: Lab, *, run: bool) -> list[str]:
    """update_solved and release_lab in one; the paths that changed, below the repository."""
    root = course.root
    folders = [root / "solutions" / lab.id, root / course.release / lab.id]
    before = [_files(folder) for folder in folders]
    update_solved(root, lab, run=run)
    release_lab(course, lab)
    return [
        (folder / name).relative_to(root).as_posix()
        for folder, old, new in zip(folders, before, map(_files, folders), strict=True)
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }


def _compare(fresh: Path, committed: Path, root: Path) -> Iterable[str]:
    new, old = _files(fresh), _files(committed)
    for name in sorted(new.keys() | old.keys()):
        if new.get(name) != old.get(name):
            word = "is missing" if name not in old else "is not generated" if name not in new else "differs"
            yield f"{(committed / name).relative_to(root)} {word}"
