"""Imports point one way: stub_server, workshop, grader; and what a notebook imports stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "stub_server": {"stub_server"},
    "workshop": {"stub_server", "workshop"},
    "grader": {"stub_server", "workshop", "grader"},
}


def imported_packages(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_one_way(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        ours = imported_packages(path) & MAY_IMPORT.keys()
        assert ours <= MAY_IMPORT[package], f"{path.name} imports {ours - MAY_IMPORT[package]}"


@pytest.mark.parametrize("package", ["stub_server", "workshop"])
def test_only_the_grader_knows_nbgrader(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        assert "nbgrader" not in imported_packages(path), path.name


def test_check_imports_neither_nbgrader_nor_the_jupyter_server() -> None:
    program = "import sys; from grader import check; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    heavy = {"nbgrader", "jupyter_server", "nbconvert", "notebook", "jupyterlab", "matplotlib", "uvicorn"}
    assert not heavy & set(loaded)


def test_what_students_use_imports_without_unix_modules() -> None:
    """Windows has none of these: a lab, the commands a student runs and the stub server must do without."""
    program = """
import sys
import anywidget, httpx, IPython, psutil, simpy, typer, uvicorn  # which have their own ways on each system
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
import grader, grader.cli, grader.doctor, stub_server, stub_server.serve
import pathlib, importlib
for path in pathlib.Path("workshop").glob("*.py"):
    importlib.import_module(f"workshop.{path.stem}".removesuffix(".__init__"))
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
