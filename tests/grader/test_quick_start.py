"""What a command leaves out when it starts is there as soon as it is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

LOADS = """
import sys
from grader.quick_start import import_nbgrader, leave_out_slow_imports

leave_out_slow_imports()
import_nbgrader()
print([name for name in ("jupyter_server", "setuptools", "urllib3", "rfc3987_syntax") if sys.modules.get(name)])
import nbgrader.auth.jupyterhub, nbgrader.utils

assert nbgrader.auth.jupyterhub.requests.get.__module__ == "requests.api"

nbgrader.utils.unpack_archive(sys.argv[1], sys.argv[2])
"""


def test_nbgrader_loads_little_and_still_unpacks(tmp_path: Path) -> None:
    archive = tmp_path / "in.zip"
    with ZipFile(archive, "w") as packed:
        packed.writestr("ann.ipynb", "{}")
    done = subprocess.run([sys.executable, "-c", LOADS, archive, tmp_path / "out"], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
    assert (tmp_path / "out" / "ann.ipynb").read_text() == "{}"
