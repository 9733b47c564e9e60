"""A command's limits as the kernel's resource limits."""

from __future__ import annotations

import math
import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from evalsi.core.sandbox import Limits

__all__ = ["NICE", "NOBODY", "jail_cpu_s", "rlimits", "tasks_of"]

NOBODY: Final = 65534
"""Who a jail is outside when root opens it: no limit on processes holds for root."""
NICE: Final = 5
"""How far everything in a jail stands back for its opener: a third of an ordinary process's share.

Less would make an honest program on a busy machine miss its wall limit.
"""
_MIB: Final = 1024 * 1024
_STACKS_MB: Final = 512  # addresses of thread stacks, which take no memory until they are used
_FEW_STACKS_MB: Final = 128  # where no cgroup keeps a program from filling them with other things


def rlimits(
    limits: Limits, *, processes: int | None, bounded_together: bool
) -> dict[str, tuple[int, int]]:
    """Limits by name, soft and hard.

    Args:
        limits: what the command may use.
        processes: the cap for RLIMIT_NPROC, with whatever else it counts; None: none.
        bounded_together: whether a cgroup bounds the jail's memory, so that addresses may exceed
            memory; they stay limited so that a program meets a MemoryError before the kernel.
    """
    memory_mb = limits.memory_mb + (_STACKS_MB if bounded_together else _FEW_STACKS_MB)
    seconds = math.ceil(limits.cpu_s)
    wanted = {
        "RLIMIT_AS": (memory_mb * _MIB, memory_mb * _MIB),
        "RLIMIT_CPU": (seconds, seconds + 1),  # SIGXCPU, then SIGKILL for who ignores it
        "RLIMIT_FSIZE": (limits.file_mb * _MIB, limits.file_mb * _MIB),
        "RLIMIT_NOFILE": (limits.open_files, limits.open_files),
        "RLIMIT_CORE": (0, 0),
    }
    if processes is not None:
        wanted["RLIMIT_NPROC"] = (processes, processes)
    return {name: _allowed(name, pair) for name, pair in wanted.items()}


def jail_cpu_s(limits: Limits) -> float:
    """Seconds of CPU that a jail's processes may use together.

    Twice a process's own: a program that shares its work among processes does not need more for
    it, and one that starts sixty to spin is gone soon.
    """
    return 2 * limits.cpu_s


def tasks_of(uid: int) -> int:
    """How many processes and threads of a user run now, on the whole machine."""
    total = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            total += _threads(Path(entry.path), uid)
    return total


def _threads(process: Path, uid: int) -> int:
    try:
        if process.stat().st_uid != uid:
            return 0
        return sum(1 for _ in (process / "task").iterdir())
    except OSError:
        return 0  # it ended meanwhile


def _allowed(name: str, pair: tuple[int, int]) -> tuple[int, int]:
    """Nobody but root may exceed the hard limit that we run under ourselves."""
    hard = resource.getrlimit(getattr(resource, name))[1]
    soft, most = pair
    return pair if hard == resource.RLIM_INFINITY else (min(soft, hard), min(most, hard))
