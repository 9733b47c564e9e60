"""The system calls that a jail refuses, as a classic BPF program and as a Kafel policy.

A deny-list: honest programs use hundreds of calls, and the namespaces already hold the rest. What
is listed reaches into other processes, makes namespaces or mounts, loads code into the kernel, or
takes memory that no limit of a process counts, or would stay in a jail after its processes.

Source: the kernel's syscall tables (`arch/x86/entry/syscalls/syscall_64.tbl`,
`scripts/syscall.tbl`).
"""

from __future__ import annotations

import errno
import platform
import socket
from dataclasses import dataclass
from typing import Final

from evalsi.core.errors import SandboxUnavailable
from evalsi_sandbox import bpf

__all__ = ["Machine", "kafel", "machine", "program"]

_REFUSED_X86_64: Final = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "process_madvise": 440,
    "kcmp": 312, "pidfd_getfd": 438,
    "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "mount_setattr": 442, "unshare": 272, "setns": 308,
    "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427,
    "add_key": 248, "request_key": 249, "keyctl": 250,
    "init_module": 175, "finit_module": 313, "delete_module": 176, "kexec_load": 246,
    "kexec_file_load": 320, "reboot": 169, "swapon": 167, "swapoff": 168, "acct": 163,
    "quotactl": 179, "quotactl_fd": 443, "syslog": 103, "settimeofday": 164,
    "clock_settime": 227, "clock_adjtime": 305, "adjtimex": 159, "vhangup": 153,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "fanotify_init": 300,
    "lookup_dcookie": 212, "move_pages": 279, "migrate_pages": 256,
    "memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68,
    "semget": 64, "mq_open": 240,
    "iopl": 172, "ioperm": 173, "modify_ldt": 154, "uselib": 134, "_sysctl": 156,
}  # fmt: skip
_REFUSED_AARCH64: Final = {
    "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "process_madvise": 440,
    "kcmp": 272, "pidfd_getfd": 438,
    "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "mount_setattr": 442, "unshare": 97, "setns": 268,
    "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427,
    "add_key": 217, "request_key": 218, "keyctl": 219,
    "init_module": 105, "finit_module": 273, "delete_module": 106, "kexec_load": 104,
    "kexec_file_load": 294, "reboot": 142, "swapon": 224, "swapoff": 225, "acct": 89,
    "quotactl": 60, "quotactl_fd": 443, "syslog": 116, "settimeofday": 170,
    "clock_settime": 112, "clock_adjtime": 266, "adjtimex": 171, "vhangup": 58,
    "name_to_handle_at": 264, "open_by_handle_at": 265, "fanotify_init": 262,
    "lookup_dcookie": 18, "move_pages": 239, "migrate_pages": 238,
    "memfd_create": 279, "memfd_secret": 447, "shmget": 194, "msgget": 186,
    "semget": 190, "mq_open": 180,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Machine:
    """What differs between processors.

    Attributes:
        audit: the kernel's name for the processor, AUDIT_ARCH_….
        refused: numbers of refused calls by name.
        clone: its number; its first argument is the flags on both processors.
        clone3: its number.
        socket: its number.
        by_number: calls that change another process, whose number is their first argument.
        by_kind: likewise, with the kind that stands for a whole user first.
        foreign: numbers from here on belong to another calling convention (x32), or None.
    """

    audit: int
    refused: dict[str, int]
    clone: int
    clone3: int
    socket: int
    by_number: dict[str, int]
    by_kind: dict[int, int]
    foreign: int | None


# A program and the first process of its namespace are one user: these would let it slow that down
# or take its limits away. The number is their first argument, or their second after a kind.
_BY_NUMBER_X86_64: Final = {
    "prlimit64": 302, "sched_setaffinity": 203, "sched_setparam": 142, "sched_setscheduler": 144,
    "sched_setattr": 314,
}  # fmt: skip
_BY_NUMBER_AARCH64: Final = {
    "prlimit64": 261, "sched_setaffinity": 122, "sched_setparam": 118, "sched_setscheduler": 119,
    "sched_setattr": 274,
}  # fmt: skip
_FIRST: Final = 1
_PRIO_USER, _IOPRIO_USER = 2, 3

_MACHINES: Final = {
    "x86_64": Machine(
        0xC000003E,
        _REFUSED_X86_64,
        clone=56,
        clone3=435,
        socket=41,
        by_number=_BY_NUMBER_X86_64,
        by_kind={141: _PRIO_USER, 251: _IOPRIO_USER},
        foreign=0x4000_0000,
    ),
    "aarch64": Machine(
        0xC00000B7,
        _REFUSED_AARCH64,
        clone=220,
        clone3=435,
        socket=198,
        by_number=_BY_NUMBER_AARCH64,
        by_kind={140: _PRIO_USER, 30: _IOPRIO_USER},
        foreign=None,
    ),
}
_NEW_NAMESPACES: Final = 0x7E02_0080  # CLONE_NEW{USER,PID,NET,IPC,UTS,CGROUP,NS,TIME}
_AF_NETLINK: Final = 16  # Python names it on Linux alone
# A vsock leads to the hypervisor from inside any network namespace: only these families pass.
_FAMILIES: Final = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, _AF_NETLINK)


def machine() -> Machine:
    """This processor's tables."""
    found = _MACHINES.get(platform.machine())
    if found is None:
        known = ", ".join(_MACHINES)
        raise SandboxUnavailable(
            f"no system call filter for {platform.machine()}: namespaced knows {known}"
        )
    return found


def program(on: Machine) -> bytes:
    """The filter as an array of `struct sock_filter`."""
    lines = [
        bpf.line(bpf.LOAD, bpf.ARCH),
        *bpf.unless(bpf.EQUAL, on.audit, bpf.KILL),
        bpf.line(bpf.LOAD, bpf.NUMBER),
        *bpf.search(_answers(on)),
    ]
    return b"".join(lines)


def _answers(on: Machine) -> list[tuple[int, list[bytes]]]:
    """Every number's answer, as the numbers from which it holds up to the next."""
    allowed = [bpf.line(bpf.RETURN, bpf.ALLOW)]
    listed = _listed(on)
    starts = {0: allowed} | {number + 1: allowed for number in listed} | listed
    if on.foreign is not None:
        starts[on.foreign] = [bpf.line(bpf.RETURN, bpf.refuse(errno.ENOSYS))]
    found = sorted(starts.items())
    befores = [[], *(lines for _, lines in found)]
    return [
        (n, lines) for (n, lines), before in zip(found, befores, strict=False) if lines != before
    ]


def _listed(on: Machine) -> dict[int, list[bytes]]:
    """By number, the lines for what is not simply allowed; each ends in an answer."""
    refused, allowed = (bpf.line(bpf.RETURN, a) for a in (bpf.refuse(errno.EPERM), bpf.ALLOW))
    first = bpf.when(bpf.EQUAL, _FIRST, bpf.refuse(errno.EPERM))
    families = [
        bpf.line(bpf.EQUAL, family, len(_FAMILIES) - at) for at, family in enumerate(_FAMILIES)
    ]
    found = {number: [refused] for number in on.refused.values()}
    # glibc falls back to clone, whose flags a filter can read.
    found[on.clone3] = [bpf.line(bpf.RETURN, bpf.refuse(errno.ENOSYS))]
    new = bpf.when(bpf.ANY_BIT, _NEW_NAMESPACES, bpf.refuse(errno.EPERM))
    found[on.clone] = [bpf.argument(0), *new, allowed]
    no_family = bpf.line(bpf.RETURN, bpf.refuse(errno.EAFNOSUPPORT))
    found[on.socket] = [bpf.argument(0), *families, no_family, allowed]
    for number in on.by_number.values():
        found[number] = [bpf.argument(0), *first, allowed]
    for number, user in on.by_kind.items():
        everybody = bpf.when(bpf.EQUAL, user, bpf.refuse(errno.EPERM))
        found[number] = [bpf.argument(0), *everybody, bpf.argument(1), *first, allowed]
    return found


def kafel(on: Machine) -> str:
    """The same filter in nsjail's language, by numbers: one unknown name voids a whole policy.

    It does not guard the first process: a jail of one command has no later one to protect.
    """
    refused = ", ".join(f"SYSCALL[{number}]" for number in on.refused.values())
    families = " && ".join(f"domain != {int(family)}" for family in _FAMILIES)
    return (
        f"POLICY evalsi {{ ERRNO({errno.EPERM}) {{ {refused},"
        f" clone(flags) {{ (flags & {_NEW_NAMESPACES}) != 0 }} }},"
        f" ERRNO({errno.ENOSYS}) {{ SYSCALL[{on.clone3}] }},"
        f" ERRNO({errno.EAFNOSUPPORT}) {{ socket(domain, type, protocol) {{ {families} }} }} }}"
        " USE evalsi DEFAULT ALLOW"
    )
