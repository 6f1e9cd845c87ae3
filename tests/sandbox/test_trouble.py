"""A machine without a sandbox is told so in one line, with what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox import probe
from grader.sandbox_trouble import SandboxUnavailable, explain
from tests.solved import ROOT

# bubblewrap's own words, as it said them on machines of each kind.
SAID = {
    "bwrap: Unknown option --disable-userns": "bubblewrap is too old",
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted": "systempaths=unconfined",
    "bwrap: setting up uid map: Permission denied": "apparmor-profiles",
    "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted": "apparmor-profiles",
    "bwrap: setting up uid map: Operation not permitted": "allow user namespaces",
    "bwrap: Creating new namespace failed: Operation not permitted": "allow user namespaces",
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user "
    "namespaces.": "unprivileged_userns_clone",
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)": (
        "max_user_namespaces"
    ),
    "bwrap: execvp /usr/bin/setpriv: No such file or directory": "apt install util-linux",
    "setpriv: setresuid failed: Invalid argument": "ordinary user",
    "bwrap: prctl(PR_SET_SECCOMP): Invalid argument": "CONFIG_SECCOMP_FILTER",
    "bwrap: something new": "bwrap --ro-bind / / true",
    "": "bwrap --ro-bind / / true",
}


@pytest.mark.parametrize(("said", "remedy"), SAID.items(), ids=[said[:60] or "nothing" for said in SAID])
def test_each_failure_has_its_remedy(said: str, remedy: str) -> None:
    told = str(explain(said))
    assert remedy in told
    assert "--no-sandbox" in told
    assert "\n" not in told


def test_without_bubblewrap_the_remedy_is_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="apt install bubblewrap"):
        probe(ROOT)


def test_a_bubblewrap_that_is_too_old_is_told_from_one_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho 'bwrap: Unknown option --disable-userns' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), os.environ["PATH"]]))
    with pytest.raises(SandboxUnavailable, match="too old"):
        probe(ROOT)


def test_a_machine_that_gives_one_says_nothing(launch: object) -> None:
    probe(ROOT)


if os.geteuid() == 0:  # only root can give up its rights, and so see what a container sees

    def test_the_real_words_of_a_container_are_known(launch: object) -> None:
        source = f"from grader.sandbox import probe; from pathlib import Path; probe(Path({str(ROOT)!r}))"
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", sys.executable, "-c", source]
        told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert told.returncode != 0
        assert "allow user namespaces" in told.stderr.splitlines()[-1]
