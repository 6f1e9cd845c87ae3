"""Looks at the machine: what is missing, why it matters, and the command that mends it."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from grader.course import Course
from grader.sandbox import probe
from grader.sandbox_trouble import SandboxUnavailable
from stub_server.address import PORT
from stub_server.server import port_is_free
from workshop.lab import all_labs


@dataclass(frozen=True)
class Finding:
    """One thing looked at. ``remedy`` says what to do.

    ``is_needed`` is False for what only some tasks need; ``else_called`` is what it is called then.
    """

    what: str
    is_well: bool
    is_needed: bool
    detail: str
    remedy: str = ""
    else_called: str = "optional"


def examine(root: Path) -> list[Finding]:
    """Everything a student or an instructor needs, each with its remedy."""
    return [
        _python(),
        *_packages(),
        _kernel(),
        _labs(root),
        _writable(root),
        _stub_port(),
        _sandbox(root),
        *_programs(root),
    ]


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    is_well = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return Finding("Python", is_well, True, f"{version}; 3.11 to 3.13 are tested", "install Python 3.12")


def _packages() -> Iterator[Finding]:
    try:
        requirements = importlib.metadata.requires("admit-one") or []
    except importlib.metadata.PackageNotFoundError:
        yield Finding("admit-one", False, True, "is not installed", "python -m pip install -e .")
        return
    for requirement in map(Requirement, requirements):
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = importlib.metadata.version(requirement.name)
            is_well = requirement.specifier.contains(version, prereleases=True)
            detail = f"{version}, needs {requirement.specifier}"
        except importlib.metadata.PackageNotFoundError:
            is_well, detail = False, "is not installed"
        yield Finding(requirement.name, is_well, True, detail, f'python -m pip install "{requirement}"')


def _kernel() -> Finding:
    from jupyter_client.kernelspec import KernelSpecManager

    is_well = "python3" in KernelSpecManager().find_kernel_specs()
    remedy = "python -m ipykernel install --sys-prefix"
    return Finding("Python 3 kernel", is_well, True, "JupyterLab runs the labs in it", remedy)


def _labs(root: Path) -> Finding:
    found = sorted(path.parent.name for path in (root / "fixtures").glob("*/lab.toml"))
    return Finding("labs", bool(found), True, ", ".join(found) or f"none below {root}", "run from the repository")


def _writable(root: Path) -> Finding:
    """course/ itself; before there is one, what it will lie in."""
    course = root / Course(root).work
    folder = next(one for one in (course, *course.parents) if one.exists())
    return Finding(
        "course folder",
        os.access(folder, os.W_OK),
        True,
        "submissions, gradebook and feedback go to course/",
        f"make {'course/' if folder == course else folder} writable",
    )


def _stub_port() -> Finding:
    is_free = port_is_free(PORT)
    remedy = "close the other stub server, or read the port that the notebook prints"
    detail = "the stub server's; where it is in use a notebook takes a free one, and admit-one stub needs --port"
    return Finding(f"port {PORT}", is_free, False, detail, remedy)


def _sandbox(root: Path) -> Finding:
    """The very sandbox that grading uses, started and told to look at itself."""
    try:
        probe(root)
    except SandboxUnavailable as missing:
        found, _, remedy = str(missing).partition("; ")
        detail = f"grading of other people's code: {found}"
        return Finding("sandbox", False, False, detail, remedy, else_called="needed for grading")
    return Finding("sandbox", True, False, "grading of other people's code: it starts and hides what it must")


def _programs(root: Path) -> Iterator[Finding]:
    """Chromium, and what the labs name in lab.toml."""
    wanted: dict[str, tuple[tuple[str, ...], str]] = {
        "Chromium": (("chromium", "chromium-browser", "google-chrome"), "browser tests")
    }
    wanted |= {name: ((name,), why) for lab in all_labs(root) for name, why in lab.programs.items()}
    for what, (names, why) in wanted.items():
        path = next(filter(None, map(shutil.which, names)), None)
        yield Finding(what, path is not None, False, f"{why}: {path or 'not found'}", f"apt install {names[0]}")
