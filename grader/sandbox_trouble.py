"""Why a sandbox did not start, and what to do about it: bubblewrap's words mapped to a remedy."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from pathlib import Path

from grader.launch import CouldNotLaunch

OWN_RISK = "or grade with --no-sandbox, if you trust this code"

_CONTAINER = (
    "in a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined, or with --privileged"
)
_PROFILE = (
    "Ubuntu lets only named programs make user namespaces: give bubblewrap its profile with "
    "apt install apparmor-profiles && ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ "
    "&& systemctl reload apparmor (leave the global switch on)"
)
_NAMESPACES = (
    f"allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000; {_CONTAINER}"
)
_UNKNOWN = "see whether bubblewrap works at all: bwrap --ro-bind / / true"
_REMEDIES = (
    (r"Unknown option", "bubblewrap is too old: install 0.8 or newer"),
    (r"mount proc on", f"/proc is masked here; {_CONTAINER}"),
    (r"uid map: Permission|RTM_NEWADDR", _PROFILE),
    (r"new namespace|uid map|slave|pivot_root|Failed to mount tmpfs", _NAMESPACES),
    (r"PR_SET_SECCOMP", "the kernel must be able to filter system calls: CONFIG_SECCOMP_FILTER"),
    (r"execvp \S*setpriv", "install setpriv, or grade as an ordinary user: apt install util-linux"),
    (
        r"setresuid|setresgid|setgroups|[Pp]ermission denied",
        "grade as an ordinary user, with a Python that other users may read",
    ),
)


class SandboxUnavailable(CouldNotLaunch):
    """This machine gives no sandbox; the message is one line: what was found, and the remedy."""


class SandboxEnded(Exception):
    """A sandbox that was running does not answer as it must: it is of no more use."""


def find_bwrap() -> str:
    """The bubblewrap program, this environment's own before the system's; raises SandboxUnavailable."""
    if sys.platform != "linux":
        raise SandboxUnavailable(f"no sandbox on {platform.system()}: grade on Linux or in WSL2, {OWN_RISK}")
    release = platform.release()
    if "Microsoft" in release and "WSL2" not in release:
        raise SandboxUnavailable(f"no sandbox in WSL1: wsl --set-version DISTRIBUTION 2, {OWN_RISK}")
    own = str(Path(sys.executable).parent)
    found = shutil.which("bwrap", path=os.pathsep.join([own, os.environ.get("PATH", os.defpath)]))
    if found is None:
        raise SandboxUnavailable(f"no sandbox: bubblewrap is missing; apt install bubblewrap, {OWN_RISK}")
    return found


def explain(said: str) -> SandboxUnavailable:
    """The error for a sandbox that did not come up and ``said`` this on its way."""
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "it said nothing")
    remedy = next((remedy for pattern, remedy in _REMEDIES if re.search(pattern, said)), _UNKNOWN)
    return SandboxUnavailable(f"no sandbox: {last}; to mend it: {remedy}; {OWN_RISK}")
