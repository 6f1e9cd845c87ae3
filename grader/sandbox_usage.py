"""What a sandbox's processes hold, looked at from outside (spec 4, sandbox: the watchdog).

Limits on a process stop short of its forks and of memory that no process has mapped in full; this adds it all up.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from grader.bounds import Bounds
from grader.launch import too_much_memory
from grader.sandbox_view import ROOM, SHARED_MEMORY, TEMPORARY

_PAGE = os.sysconf("SC_PAGE_SIZE")
_SHARED_WITHOUT_FILE = re.compile(rb"^(\w+)-(\w+) \S+s \S+ \S+ (\d+) +(?:/dev/zero|/memfd:|/SYSV)", re.MULTILINE)
"""In /proc/PID/maps: its pages stay while it is mapped, also where the process that touched them has ended."""
_SOCKETS = re.compile(rb"^sockets: used (\d+)", re.MULTILINE)
_PROPORTIONAL = re.compile(rb"^Pss_Anon: +(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class Gauge:
    """Open folders of a sandbox's own /proc and of its writable file systems, by which it is looked at.

    The first process is not counted: no student code runs in it, and it kills all others.
    """

    processes: int
    file_systems: tuple[int, ...]

    @classmethod
    def open(cls, first_process: int) -> Gauge:
        """Look into the namespaces of the process with this pid (ours, not the sandbox's)."""
        root = f"/proc/{first_process}/root"
        folders = (ROOM, TEMPORARY, SHARED_MEMORY)
        return cls(
            os.open(f"{root}/proc", os.O_RDONLY | os.O_DIRECTORY),
            tuple(os.open(f"{root}{folder}", os.O_PATH | os.O_DIRECTORY) for folder in folders),
        )

    def close(self) -> None:
        for fd in (self.processes, *self.file_systems):
            os.close(fd)

    def excess(self, bounds: Bounds) -> str:
        """Which bound they are past, in words, or nothing."""
        if self._files() > bounds.files:
            return f"it made more than {bounds.files} files"
        members = self._members()
        if self._sockets(members) > bounds.sockets:
            return f"it opened more than {bounds.sockets} sockets"
        shared = self._shared(members)
        used = shared + sum(map(self._resident, members))
        if used > bounds.memory:  # pages that forks share were counted once a process; look again, with more care
            used = shared + sum(map(self._proportional, members))
        return too_much_memory(used, bounds)

    def _files(self) -> int:
        found = [os.statvfs(fd) for fd in self.file_systems]
        return sum(one.f_files - one.f_ffree for one in found)

    def _members(self) -> list[str]:
        try:
            return [name for name in os.listdir(self.processes) if name.isdigit() and name != "1"]
        except OSError:  # the sandbox has ended
            return []

    def _sockets(self, members: list[str]) -> int:
        """How many there are: the kernel keeps what is sent and not yet received, in the memory of no process."""
        found = (_SOCKETS.search(self._read(process, "net/sockstat")) for process in members)
        return max((int(one[1]) for one in found if one), default=0)

    def _resident(self, process: str) -> int:
        match self._read(process, "statm").split():
            case [_, resident, shared, *_]:
                return (int(resident) - int(shared)) * _PAGE
        return 0

    def _proportional(self, process: str) -> int:
        own = _PROPORTIONAL.search(self._read(process, "smaps_rollup"))
        return int(own[1]) * 1024 if own else 0

    def _shared(self, members: list[str]) -> int:
        sizes: dict[bytes, int] = {}
        for process in members:
            mapped: dict[bytes, int] = {}
            for start, end, inode in _SHARED_WITHOUT_FILE.findall(self._read(process, "maps")):
                mapped[inode] = mapped.get(inode, 0) + int(end, 16) - int(start, 16)
            sizes.update({inode: max(size, sizes.get(inode, 0)) for inode, size in mapped.items()})
        return sum(sizes.values())

    def _read(self, process: str, name: str) -> bytes:
        try:
            fd = os.open(f"{process}/{name}", os.O_RDONLY, dir_fd=self.processes)
        except OSError:  # it has ended meanwhile
            return b""
        try:
            return b"".join(iter(lambda: os.read(fd, 1 << 16), b""))
        except OSError:
            return b""
        finally:
            os.close(fd)
