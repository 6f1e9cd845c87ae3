"""What the sandbox shows, and the bubblewrap command that builds it (spec 4, sandbox).

Everything is mounted read-only from where this interpreter has it, and nothing by way of the repository: an editable
install or a virtual environment inside it must not show ``solutions/``.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import stub_server
import workshop
from grader.bounds import MIB, Bounds
from grader.launch import child_environment

ROOM = Path("/room")
"""Home and working folder of student code; the lab's public files are in it, as a release puts them."""
SHARED_MEMORY = Path("/dev/shm")
TEMPORARY = Path("/tmp")
KIT = Path("/kit")
SERVER_DATA = Path("fixtures/stub_server")

KIT_MODULES = (
    "__init__",
    "bounds",
    "cases",
    "channel",
    "check",
    "diagnose",
    "drive",
    "judge",
    "quick_start",
    "runner",
    "verdict",
    "zygote",
)
"""The modules of this package that run inside or that a notebook imports; the drivers come beside them."""

_SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/share/zoneinfo")
_SYSTEM_LINKS = ("/bin", "/lib", "/lib32", "/lib64")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")


class RepositoryWouldShow(Exception):
    """A folder that the sandbox must show contains the repository; the message says which."""


@dataclass(frozen=True)
class View:
    """Host folders and files with their places inside, the packages' search path and the interpreter."""

    mounts: tuple[tuple[Path, Path], ...]
    search_path: tuple[Path, ...]
    interpreter: Path

    def refuse_to_show(self, secret: Path) -> None:
        """Raise RepositoryWouldShow where ``secret`` lies in, or is, something that is shown."""
        for source, _ in self.mounts:
            if secret.resolve().is_relative_to(source.resolve()):
                raise RepositoryWouldShow(
                    f"the repository {secret} lies inside {source}, which the sandbox shows; move it elsewhere"
                )


def current_view() -> View:
    """This interpreter, its libraries and its packages, and the kit's own modules, at places of their own."""
    interpreter = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    library = Path(sysconfig.get_path("stdlib")).resolve().parent
    system = [Path(folder) for folder in _SYSTEM if Path(folder).is_dir()]
    system += [Path(name) for name in _SYSTEM_FILES if Path(name).exists()]
    system += [Path(name) for name in _SYSTEM_LINKS if Path(name).is_dir() and not Path(name).is_symlink()]
    system += [path for path in (library, interpreter) if not _is_below(path, system)]
    mounts = [(path, path) for path in system]
    search_path = [KIT]
    for number, folder in enumerate(_package_folders()):
        place = folder if _is_below(folder, system) else Path(f"/packages/{number}")
        search_path.append(place)
        if place != folder:
            mounts.append((folder, place))
    return View((*mounts, *_kit_mounts()), tuple(search_path), interpreter)


def _package_folders() -> Iterator[Path]:
    """Where installed packages are; the path of an editable install is not among them."""
    for entry in dict.fromkeys(sys.path):
        path = Path(entry)
        if path.name in ("site-packages", "dist-packages") and path.is_dir():
            yield path.resolve()


def _kit_mounts() -> Iterator[tuple[Path, Path]]:
    ours = Path(__file__).resolve().parent
    for module in KIT_MODULES:
        yield ours / f"{module}.py", KIT / "grader" / f"{module}.py"
    yield ours / "drivers", KIT / "grader" / "drivers"
    for package in (stub_server, workshop):
        folder = Path(str(package.__file__)).resolve().parent
        yield folder, KIT / folder.name
    yield ours.parent / SERVER_DATA, KIT / SERVER_DATA


def _is_below(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def bwrap_options(view: View, furniture: Path, bounds: Bounds, *, is_root: bool) -> list[str]:
    """The options that build the sandbox; the caller adds the descriptors and the command.

    ``furniture`` is a host folder with ``room/`` (the lab's public files) and ``hosts``. Started by root, no user
    namespace is made: root mounts, and the command must give its rights up before it does anything else.
    """
    return [
        *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *(_ROOT_RIGHTS if is_root else ("--unshare-user", "--disable-userns")),
        *("--new-session", "--die-with-parent", "--as-pid-1", "--hostname", "room"),
        *_environment(view),
        *_mounts(view, furniture),
        *("--proc", "/proc", "--dev", "/dev"),
        # Its owner may write a namespace's settings: the next notebook in a kept sandbox would find them changed.
        *("--ro-bind", "/proc/sys", "/proc/sys"),
        *_writable(bounds, is_root=is_root),
        *_room(furniture),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        *("--chdir", str(ROOM)),
    ]


_ROOT_RIGHTS = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP")


def _environment(view: View) -> Iterator[str]:
    path = os.pathsep.join(dict.fromkeys([str(view.interpreter.parent), "/usr/bin", "/bin"]))
    values = {
        **child_environment(ROOM, path=path),
        "LOGNAME": "student",
        "TMPDIR": str(TEMPORARY),
        "PYTHONPATH": os.pathsep.join(map(str, view.search_path)),
        "PYTHONNOUSERSITE": "1",
    }
    for name, value in values.items():
        yield from ("--setenv", name, value)


def _mounts(view: View, furniture: Path) -> Iterator[str]:
    for name in _SYSTEM_LINKS:
        if Path(name).is_symlink():
            yield from ("--symlink", os.readlink(name), name)
    for parent in _parents([place for _, place in view.mounts]):
        yield from ("--perms", "0755", "--dir", str(parent))
    for source, place in view.mounts:
        yield from ("--ro-bind", str(source), str(place))
    yield from ("--ro-bind", str(furniture / "hosts"), "/etc/hosts")


def _parents(places: Sequence[Path]) -> list[Path]:
    """Every folder on the way, outermost first: made by bubblewrap on its own, they would be closed to others."""
    return sorted({parent for place in places for parent in place.parents if parent != Path("/")})


def _writable(bounds: Bounds, *, is_root: bool) -> Iterator[str]:
    """The three writable folders share the disk bound. Root makes them, but another user must write to them."""
    mode = "1777" if is_root else "0700"
    for folder, size in (
        (SHARED_MEMORY, MIB),
        (TEMPORARY, bounds.disk // 2),
        (ROOM, bounds.disk // 2 - MIB),
    ):
        yield from ("--perms", mode, "--size", str(size), "--tmpfs", str(folder))


def _room(furniture: Path) -> Iterator[str]:
    for folder in sorted((furniture / "room").iterdir()):
        yield from ("--ro-bind", str(folder), str(ROOM / folder.name))
