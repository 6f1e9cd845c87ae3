"""Where the repository, the environment and the interpreter lie makes no difference to what shows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.launch import Furniture, furnish
from grader.sandbox import sandboxes
from grader.sandbox_trouble import SandboxUnavailable
from tests.solved import ROOT

LOOK = """
import json, sys, time
from pathlib import Path
from grader.asker import Asker
from grader.bounds import Bounds
from grader.sandbox import sandboxes

repository, room = Path(sys.argv[1]), Path(sys.argv[2])
files = {str(path.relative_to(room)): path.read_bytes() for path in room.rglob("*") if path.is_file()}
source = '''
import json, os, sys
import grader, httpx
print(json.dumps({"prefix": sys.prefix, "packages": httpx.__file__, "shows": [
    os.path.join(folder, name) for folder, folders, files in os.walk("/")
    if not folder.startswith(("/proc", "/packages", "/usr", sys.prefix))
    for name in folders + files if name in ("solutions", "secret.json", "repository")
]}))
'''
with sandboxes(repository) as launch:
    asker = Asker(launch(files, False), Bounds())
    heard = asker.ask({"op": "cell", "source": source}, until=time.monotonic() + 20, room_for_output=1 << 20)
    asker.close()
print(heard.output.decode() if heard.message["error"] is None else heard.message["error"])
"""


def test_an_environment_inside_the_repository_shows_nothing_of_it(
    tmp_path: Path, room: Furniture, launch: object
) -> None:
    furnish(tmp_path / "room", room)
    repository = tmp_path / "repository"
    for package in ("grader", "stub_server", "workshop"):
        shutil.copytree(ROOT / package, repository / package)
    shutil.copytree(ROOT / "fixtures" / "stub_server", repository / "fixtures" / "stub_server")
    (repository / "solutions").mkdir()
    (repository / "solutions" / "secret.json").write_text("{}")
    environment = repository / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", environment], check=True)
    packages = next((environment / "lib").glob("python*")) / "site-packages"
    # As an editable install does it: a .pth file that names the repository; and the packages of this environment.
    others = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "editable.pth").write_text("\n".join([str(repository), *others]))
    told = subprocess.run(
        [environment / "bin" / "python", "-c", LOOK, repository, tmp_path / "room"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    seen = json.loads(told.stdout)
    assert seen["shows"] == []
    assert seen["packages"].startswith("/packages/")


def test_a_repository_inside_what_must_show_is_refused(launch: object) -> None:
    library = Path(os.__file__).parent
    with pytest.raises(SandboxUnavailable, match="move it elsewhere"), sandboxes(library / "repository"):
        pass
