"""Root runs every test of this folder once more as an ordinary user, for whom bubblewrap goes another way."""

from __future__ import annotations

import os
import subprocess

from tests.ordinary_user import as_ordinary_user

if os.geteuid() == 0:

    def test_all_of_this_holds_for_an_ordinary_user(launch: object) -> None:
        command = [*as_ordinary_user(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/sandbox"]
        told = subprocess.run(command, capture_output=True, text=True)
        assert told.returncode == 0, told.stdout[-5000:] + told.stderr[-2000:]
        assert " passed" in told.stdout
