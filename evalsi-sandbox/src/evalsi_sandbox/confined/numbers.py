"""Numbers of the system calls that matter where nothing but Landlock stands around a program.

Source: the kernel's syscall tables (`arch/x86/entry/syscalls/syscall_64.tbl`,
`scripts/syscall.tbl`).
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Final

from evalsi.core.errors import SandboxUnavailable

__all__ = ["Numbers", "numbers"]


@dataclass(frozen=True, slots=True)
class Numbers:
    """Calls by what is the matter with them.

    Attributes:
        shared: reach what a program shares with the host: sockets by address, IPC, watches.
        of_others: may change a process other than the caller; a first argument of 0 is the caller.
        metadata: change files that a program cannot open, if they belong to its user.
        kill: `kill` and `tgkill`; the first argument is a process.
        signal: other ways to send a signal.
        truncate: empties a file by its path.
        open_at: those that open a file, with the place of the argument that holds their flags.
        openat2: keeps its flags in memory, where no filter sees them.
        setpriority: its number.
        socketpair: its number.
        fcntl: its number.
        ioctl: its number.
    """

    shared: dict[str, int]
    of_others: dict[str, int]
    metadata: dict[str, int]
    kill: tuple[int, int]
    signal: dict[str, int]
    truncate: int
    open_at: dict[int, int]
    openat2: int
    setpriority: int
    socketpair: int
    fcntl: int
    ioctl: int


_X86_64: Final = Numbers(
    shared={
        "socket": 41, "connect": 42, "bind": 49,
        "shmat": 30, "shmctl": 31, "semop": 65, "semctl": 66, "semtimedop": 220,
        "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "mq_unlink": 241,
        "inotify_init": 253, "inotify_init1": 294, "inotify_add_watch": 254,
        "ioprio_set": 251, "process_mrelease": 448,
    },
    of_others={
        "prlimit64": 302, "sched_setaffinity": 203, "sched_setscheduler": 144,
        "sched_setparam": 142, "sched_setattr": 314,
    },
    metadata={
        "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452,
        "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260,
        "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "setxattrat": 463,
        "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199, "removexattrat": 466,
        "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280, "file_setattr": 469,
    },
    kill=(62, 234),
    signal={"tkill": 200, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "pidfd": 424},
    truncate=76, open_at={2: 1, 257: 2}, openat2=437,
    setpriority=141, socketpair=53, fcntl=72, ioctl=16,
)  # fmt: skip
_AARCH64: Final = Numbers(
    shared={
        "socket": 198, "connect": 203, "bind": 200,
        "shmat": 196, "shmctl": 195, "semop": 193, "semctl": 191, "semtimedop": 192,
        "msgsnd": 189, "msgrcv": 188, "msgctl": 187, "mq_unlink": 181,
        "inotify_init1": 26, "inotify_add_watch": 27,
        "ioprio_set": 30, "process_mrelease": 448,
    },
    of_others={
        "prlimit64": 261, "sched_setaffinity": 122, "sched_setscheduler": 119,
        "sched_setparam": 118, "sched_setattr": 274,
    },
    metadata={
        "fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "fchown": 55, "fchownat": 54,
        "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "setxattrat": 463,
        "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16, "removexattrat": 466,
        "utimensat": 88, "file_setattr": 469,
    },
    kill=(129, 131),
    signal={"tkill": 130, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "pidfd": 424},
    truncate=45, open_at={56: 2}, openat2=437,
    setpriority=140, socketpair=199, fcntl=25, ioctl=29,
)  # fmt: skip
_KNOWN: Final = {"x86_64": _X86_64, "aarch64": _AARCH64}


def numbers() -> Numbers:
    """This processor's numbers."""
    found = _KNOWN.get(platform.machine())
    if found is None:
        known = ", ".join(_KNOWN)
        raise SandboxUnavailable(
            f"no system call filter for {platform.machine()}: confined knows {known}"
        )
    return found
