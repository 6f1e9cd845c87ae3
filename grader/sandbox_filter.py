"""The system calls that the sandbox refuses, as a seccomp program for bubblewrap's ``--seccomp``.

Namespaces and bounds do most of the work. What is here is what they leave open; each rule says why it is needed.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator

# x86_64, aarch64 (the kernel's asm/unistd.h)
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_REFUSED = {
    # Namespaces: in one of its own, student code could mount a tmpfs without a size. --disable-userns says the same
    # where bubblewrap makes a user namespace; started by root it makes none.
    "unshare": (272, 97),
    "setns": (308, 268),
    # Memory that shows in no process's resident size.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # What outlives its processes: System V and POSIX message queues and segments, keys. The next notebook in a kept
    # sandbox would find it.
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # What a child hands on to the first process of a kept sandbox, and so to the next notebook.
    "ioprio_set": (251, 30),
    "sched_setattr": (314, 274),
    # A notebook that takes long is kept to one processor (grader.sandbox_share).
    "sched_setaffinity": (203, 122),
    # Word of a file that other sandboxes read too: a hidden input could be sent to a pass whose output is shown.
    "flock": (73, 32),
    "inotify_init": (253, 26),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # Wide doors into the kernel that no lab goes through.
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
}
_FCNTL = (72, 25)
_LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1026)
"""fcntl's commands for locks, leases and notices on a file: they too cross from one sandbox to another."""
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_SOCKET = (41, 198)
_NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_ADDRESS_FAMILIES = (1, 2, 10, 16)
"""Unix, IPv4, IPv6, netlink. A virtual machine's AF_VSOCK reaches the host from any network namespace."""

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _MACHINE, _ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_X32 = 0x40000000


class UnknownMachine(Exception):
    """There is no filter for this machine's system calls."""


def system_call_filter() -> bytes:
    """The program for this machine; raises UnknownMachine for others than x86_64 and aarch64."""
    machine = platform.machine()
    if machine not in _MACHINES:
        raise UnknownMachine(f"the sandbox knows x86_64 and aarch64, not {machine}")
    return b"".join(_program(*_MACHINES[machine]))


def _program(audit_machine: int, column: int) -> Iterator[bytes]:
    yield _step(_LOAD, _MACHINE)
    yield _step(_EQUAL, audit_machine, 1, 0)
    yield _refuse(errno.EPERM)  # another machine's numbering, by which each rule could be got round
    yield _step(_LOAD, _NUMBER)
    yield _step(_AT_LEAST, _X32, 0, 1)
    yield _refuse(errno.EPERM)
    for numbers in _REFUSED.values():
        yield _step(_EQUAL, numbers[column], 0, 1)
        yield _refuse(errno.EPERM)
    # Its flags lie in memory, where a filter cannot look; C libraries then use clone.
    yield _step(_EQUAL, _CLONE3[column], 0, 1)
    yield _refuse(errno.ENOSYS)
    yield _step(_EQUAL, _FCNTL[column], 0, 3 + len(_LOCKS))
    yield _step(_LOAD, _SECOND_ARGUMENT)
    for place, command in enumerate(_LOCKS):
        yield _step(_EQUAL, command, len(_LOCKS) - place, 0)
    yield _step(_RETURN, _ALLOW)
    yield _refuse(errno.EPERM)
    yield _step(_EQUAL, _CLONE[column], 0, 5)
    yield _step(_LOAD, _ARGUMENT)
    yield _step(_AND, _NEW_NAMESPACES)
    yield _step(_EQUAL, 0, 1, 0)
    yield _refuse(errno.EPERM)
    yield _step(_RETURN, _ALLOW)
    yield _step(_EQUAL, _SOCKET[column], 0, 2 + len(_ADDRESS_FAMILIES))
    yield _step(_LOAD, _ARGUMENT)
    for place, family in enumerate(_ADDRESS_FAMILIES):
        yield _step(_EQUAL, family, len(_ADDRESS_FAMILIES) - place, 0)
    yield _refuse(errno.EAFNOSUPPORT)
    yield _step(_RETURN, _ALLOW)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction, laid out as the kernel's struct sock_filter."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(number: int) -> bytes:
    return _step(_RETURN, _REFUSE | number)
