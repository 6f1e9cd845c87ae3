"""What student code can read and reach: nothing that is not its own."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox_view import KIT_MODULES
from tests.sandbox.visit import Visit
from tests.solved import ROOT

ALL_FILES = """
import os
names = [
    os.path.join(folder, name)
    for folder, folders, files in os.walk("/")
    if not folder.startswith(("/proc", "/usr/share/zoneinfo"))
    for name in folders + files
]
"""


def test_only_the_kit_the_interpreter_and_the_lab_are_there(inside: Visit) -> None:
    top = set(inside.value("os.listdir('/')", "import os"))
    interpreters = Path(sys._base_executable).resolve().parts[1]  # type: ignore[attr-defined]
    allowed = {"bin", "dev", "etc", "kit", "lib", "lib32", "lib64", "packages", "proc", "room", "tmp", "usr"}
    assert top <= allowed | {interpreters}
    assert inside.value("sorted(os.listdir('/kit/grader'))", "import os") == sorted(
        ["drivers", *(f"{module}.py" for module in KIT_MODULES)]
    )
    assert inside.value("sorted(os.listdir('/room'))", "import os") == ["data", "permits"]


def test_no_hidden_case_solution_gradebook_or_submission_is_anywhere(inside: Visit) -> None:
    found = inside.value(
        "[name for name in names if name.endswith(('hidden_cases.json', '.ipynb', 'gradebook.db', 'verdict.json'))]",
        ALL_FILES,
    )
    # nbgrader's package brings a gradebook of its own tests.
    assert [name for name in found if not name.startswith("/packages/") or "hidden_cases" in name] == []


def test_a_file_of_the_host_cannot_be_opened_by_its_path(inside: Visit, tmp_path: Path) -> None:
    submission = tmp_path / "submitted" / "ada" / "lab1.ipynb"
    submission.parent.mkdir(parents=True)
    submission.write_text("somebody else's work")
    paths = [ROOT, ROOT / "solutions", ROOT / "pyproject.toml", submission, Path.home() / ".bashrc", "/etc/passwd"]
    opened = inside.value(f"[path for path in {[str(path) for path in paths]} if os.path.lexists(path)]", "import os")
    assert opened == []


def test_home_and_environment_are_the_students_own(inside: Visit) -> None:
    environment = inside.value("dict(os.environ)", "import os")
    assert environment["HOME"] == "/room"
    assert not set(environment) & {"USER", "MAIL", "SSH_AUTH_SOCK", "PYTEST_CURRENT_TEST", "OLDPWD", "VIRTUAL_ENV"}
    assert not any(str(ROOT) in value for value in environment.values())


@pytest.mark.parametrize("name", ["environ", "mem", "maps", "fd", "root", "cwd", "exe"])
def test_the_first_process_cannot_be_looked_into(inside: Visit, name: str) -> None:
    look = f"""
import os
try:
    if os.path.isdir("/proc/1/{name}"):
        print(os.listdir("/proc/1/{name}"))
    else:
        print(open("/proc/1/{name}", "rb").read(1))
except OSError as refused:
    print(type(refused).__name__)
"""
    assert inside.run(look).strip() == "PermissionError"


def test_no_other_process_of_the_machine_shows(inside: Visit) -> None:
    processes = inside.value("[int(name) for name in os.listdir('/proc') if name.isdigit()]", "import os")
    assert len(processes) == 2
    assert 1 in processes


def test_neither_the_host_nor_the_world_can_be_reached(inside: Visit, tmp_path: Path) -> None:
    unix = tmp_path / "socket"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0admit-one-{os.getpid()}")
        local.listen()
        with socket.socket(socket.AF_UNIX) as named:
            named.bind(str(unix))
            named.listen()
            reach = f"""
import socket
def reach(family, address):
    with socket.socket(family) as s:
        s.settimeout(2)
        try:
            s.connect(address)
            return "reached"
        except OSError as refused:
            return type(refused).__name__
print(reach(socket.AF_INET, ("127.0.0.1", {server.getsockname()[1]})))
print(reach(socket.AF_INET, ("192.0.2.1", 80)))
print(reach(socket.AF_UNIX, "\\0admit-one-{os.getpid()}"))
print(reach(socket.AF_UNIX, "{unix}"))
"""
            assert inside.run(reach).split() == [
                "ConnectionRefusedError",
                "OSError",
                "ConnectionRefusedError",
                "FileNotFoundError",
            ]


def test_a_virtual_machines_host_cannot_be_reached(inside: Visit) -> None:
    source = "import socket\ntry: socket.socket(socket.AF_VSOCK)\nexcept OSError as refused: print(refused.errno)"
    assert inside.run(source).strip() == str(errno.EAFNOSUPPORT)


def test_its_own_loopback_works_by_number_and_by_name(inside: Visit) -> None:
    source = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    for host in ("127.0.0.1", "localhost"):
        socket.create_connection((host, server.getsockname()[1]), timeout=2).close()
print(socket.gethostname())
"""
    assert inside.run(source).strip() == "room"


SHOWN = ["/", "/dev", "/kit", "/kit/grader", "/packages/0", "/room/data", "/usr/lib", "/etc"]


@pytest.mark.parametrize("folder", SHOWN)
def test_nothing_that_is_shown_can_be_written(inside: Visit, folder: str) -> None:
    source = f"""
import os
try:
    os.mkdir("{folder}/mine")
    print("written")
except OSError as refused:
    print(type(refused).__name__, refused.errno)
"""
    assert inside.run(source).split()[0] in ("OSError", "PermissionError")


def test_nothing_of_the_kernels_can_be_written(inside: Visit) -> None:
    """Root in a sandbox could write hundreds of the machine's own files in /proc; a user, its namespaces' settings."""
    source = """
import os
print(*(
    os.path.join(folder, name)
    for folder, folders, files in os.walk("/proc")
    if not folder.removeprefix("/proc/").partition("/")[0].isdigit()
    for name in files
    if os.access(os.path.join(folder, name), os.W_OK)
))
"""
    # What asks to be told of pressure: open to everybody, on any machine.
    assert [name for name in inside.run(source).split() if not name.startswith("/proc/pressure/")] == []


def test_the_labs_data_cannot_be_changed_or_moved_away(inside: Visit) -> None:
    source = """
import os
for change in (
    lambda: open("/room/data/lab.toml", "a"),
    lambda: os.chmod("/room/data/lab.toml", 0o666),
    lambda: os.unlink("/room/data/lab.toml"),
    lambda: os.rename("/room/data", "/room/elsewhere"),
):
    try:
        change()
        print("changed")
    except OSError:
        print("refused")
"""
    assert inside.run(source).split() == ["refused"] * 4


def test_input_is_at_its_end(inside: Visit) -> None:
    source = "import sys\nprint(repr(sys.stdin.read()))\ntry: input()\nexcept Exception as e: print(type(e).__name__)"
    assert inside.run(source).split()[0] == "''"


def test_the_interpreter_is_the_one_that_grades(inside: Visit) -> None:
    assert inside.value("[sys.version, sys.prefix]", "import sys") == [sys.version, sys.base_prefix]


def test_the_modules_shown_are_all_that_a_notebook_and_the_runner_import() -> None:
    source = (
        "import sys; import grader.check, grader.runner, grader.zygote\n"
        "print(*(n.partition('.')[2] for n in sys.modules if n.startswith('grader.')))"
    )
    told = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=True)
    imported = {name for name in told.stdout.split() if not name.startswith("drivers")}
    assert imported == set(KIT_MODULES) - {"__init__"}
