"""Cores as tokens: all engines of a user on one host share its cores, by flock.

Who chose a width himself has that many of his own, shared with nobody.

One lock file a core in a private folder. A holder that dies lets go, by the kernel; no number of
a process is ever trusted.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import random
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from evalsi.core.durable import runtime_dir
from evalsi.core.errors import EngineError

__all__ = ["CoreTokens", "Cores", "OwnCores", "core_held", "cores", "forget_held"]

_WAIT_S: Final = (0.0005, 0.02)
_HELD: Final[set[int]] = set()
_LOG: Final = logging.getLogger("evalsi")


class _Holding(threading.local):
    def __init__(self) -> None:
        self.core = False


_HOLDING: Final = _Holding()


def forget_held() -> None:
    """Closes, in a forked child, its copies of its parent's locks, which would hold them on."""
    for fd in list(_HELD):
        os.close(fd)
    _HELD.clear()
    _HOLDING.core = False


def cores() -> list[int]:
    """The cores that this process may use: its affinity, cut to its cgroup's CPU quota."""
    if sys.platform != "linux":
        return list(range(os.cpu_count() or 1))
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[: max(1, min(len(allowed), _quota()))]


class Cores(ABC):
    """Cores to compute on. Safe from many threads."""

    @abstractmethod
    def take(self, *, wait: bool) -> Callable[[], None] | None:
        """Takes a core and gives what lets go of it; None when none is free and no one waits."""

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Holds one core for the block, in which this thread takes no other."""
        release = self.take(wait=True)
        outer, _HOLDING.core = _HOLDING.core, True
        try:
            yield
        finally:
            _HOLDING.core = outer
            if release is not None:
                release()


class OwnCores(Cores):
    """A width that the caller chose."""

    def __init__(self, width: int) -> None:
        self._places = threading.BoundedSemaphore(width)

    def take(self, *, wait: bool) -> Callable[[], None] | None:
        """Takes one of them."""
        return self._places.release if self._places.acquire(blocking=wait) else None


class CoreTokens(Cores):
    """One token a core of the host.

    Without a folder for the locks nothing is shared: this process still keeps to its own width.
    """

    held_by_owner: ClassVar[bool] = False
    """In a worker the owner holds the core already."""

    def __init__(self) -> None:
        self._cores = cores()
        self._shared: Cores = OwnCores(len(self._cores))
        self._folder: Path | None = None
        try:
            self._folder = runtime_dir()
        except EngineError as error:
            _LOG.warning("cores are not shared with other processes: %s", error)

    def take(self, *, wait: bool) -> Callable[[], None] | None:
        """Takes the token of a core, any that is free."""
        if CoreTokens.held_by_owner:
            return _nothing
        if self._folder is None:
            return self._shared.take(wait=wait)
        pause = _WAIT_S[0]
        while (fd := self._free(self._folder)) is None:
            if not wait:
                return None
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311 - jitter
            pause = min(pause * 2, _WAIT_S[1])
        return partial(_let_go, fd)

    def _free(self, folder: Path) -> int | None:
        for core in random.sample(self._cores, len(self._cores)):
            fd = os.open(folder / f"core-{core}", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(fd)
            else:
                _HELD.add(fd)
                return fd
        return None


def core_held() -> bool:
    """Whether this thread computes on a core that it, or the owner of its process, holds."""
    return _HOLDING.core or CoreTokens.held_by_owner


def _let_go(fd: int) -> None:
    if fd in _HELD:  # else a fork has closed it
        _HELD.discard(fd)
        fcntl.flock(fd, fcntl.LOCK_UN)  # also for a copy that a fork has just made
        os.close(fd)


def _nothing() -> None:
    """Lets go of a core that another holds."""


def _quota() -> int:
    """Whole cores of the cgroup's CPU quota, at least 1; a large number without one."""
    unlimited = 1 << 20
    with contextlib.suppress(OSError, ValueError):
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return unlimited if quota == "max" else max(1, int(quota) // int(period))
    with contextlib.suppress(OSError, ValueError):
        v1 = Path("/sys/fs/cgroup/cpu")
        quota_us = int((v1 / "cpu.cfs_quota_us").read_text())
        period_us = int((v1 / "cpu.cfs_period_us").read_text())
        return unlimited if quota_us <= 0 else max(1, quota_us // period_us)
    return unlimited
