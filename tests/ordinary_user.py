"""Root becomes an ordinary user, for whom bubblewrap goes another way."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.solved import ROOT

PLACE = Path("/mnt")
"""Where an ordinary user finds this repository and the installed packages, wherever root keeps them."""
UID = "61000"


def as_ordinary_user(folder: Path | None = None) -> list[str]:
    """What to put before a command's arguments to run this Python, with its packages, as a user without rights.

    It starts in the repository, which is read-only, or in ``folder``, which becomes the user's own.
    """
    if folder:
        subprocess.run(["chown", "-R", f"{UID}:{UID}", folder], check=True)
    interpreter = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
    library = Path(sysconfig.get_path("stdlib")).resolve().parent
    packages = [Path(path) for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    places = [PLACE / "packages" / str(number) / path.name for number, path in enumerate(packages)]
    shown = {PLACE / "repository": ROOT, **dict(zip(places, packages, strict=True))}
    # An interpreter in root's own home, closed to others: the way to it is rebuilt, with nothing else on it.
    closed = [folder for folder in reversed(interpreter.parents) if not folder.stat().st_mode & 0o001][:1]
    if closed:
        shown |= {library: library, interpreter: interpreter}
    rebuilt = [PLACE, *closed]
    parents = {folder for place in shown for folder in place.parents if any(top in folder.parents for top in rebuilt)}
    return [
        *("bwrap", "--dev-bind", "/", "/"),
        *(word for top in rebuilt for word in ("--perms", "0755", "--tmpfs", str(top))),
        *(word for folder in sorted(parents) for word in ("--perms", "0755", "--dir", str(folder))),
        *(word for place, source in shown.items() for word in ("--ro-bind", str(source.resolve()), str(place))),
        *("--perms", "1777", "--tmpfs", str(PLACE / "tmp")),
        *(("--bind", str(folder), str(PLACE / "own")) if folder else ()),
        *("--chdir", str(PLACE / ("own" if folder else "repository"))),
        *("--setenv", "TMPDIR", str(PLACE / "tmp"), "--setenv", "HOME", str(PLACE / "tmp")),
        *("--setenv", "PYTHONPATH", os.pathsep.join(map(str, (PLACE / "repository", *places)))),
        *("--setenv", "PYTHONDONTWRITEBYTECODE", "1"),
        *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
        *("setpriv", "--reuid", UID, "--regid", UID, "--clear-groups", str(interpreter)),
    ]
