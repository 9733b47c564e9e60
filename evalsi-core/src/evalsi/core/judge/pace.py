"""How often a judge is asked: a rate that all processes of a user on one host keep together.

The moment of the next turn stands in a file, which is locked while it is read and moved on. The
clock is the host's, from its start; a file of an earlier start has another name.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import struct
import time
from hashlib import sha256
from pathlib import Path
from typing import Final

from evalsi.core.durable import runtime_dir
from evalsi.core.errors import EngineError
from evalsi.core.judge.lock import LOCK
from evalsi.core.judge.turns import queueing

__all__ = ["Pace"]

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_MOMENT: Final = struct.Struct("d")


class Pace:
    """At most so many a minute, evenly spaced.

    Where there is no folder for the file, the rate is this process's own.

    Args:
        per_minute: how many; None: no limit.
        whom: what is asked; who asks the same shares the rate.
    """

    def __init__(self, per_minute: float | None, whom: str) -> None:
        self._apart_s = 60.0 / per_minute if per_minute else 0.0
        self._file = _file_of(whom) if per_minute else None
        self._own = 0.0

    async def turn(self) -> None:
        """Waits for the next turn."""
        if not self._apart_s:
            return
        with queueing():
            # In a thread: whoever has the lock may be a process that stands still.
            await asyncio.sleep(await asyncio.to_thread(self._taken))

    def _taken(self) -> float:
        """Takes the next turn; the seconds until it."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                return self._shared(self._file)
        with LOCK:
            now = time.monotonic()
            at = max(now, self._own)
            self._own = at + self._apart_s
        return at - now

    def _shared(self, path: Path) -> float:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            held = os.pread(fd, _MOMENT.size, 0)
            now = time.monotonic()
            at = max(now, _MOMENT.unpack(held)[0] if len(held) == _MOMENT.size else now)
            os.pwrite(fd, _MOMENT.pack(at + self._apart_s), 0)
        finally:
            os.close(fd)
        return at - now


def _file_of(whom: str) -> Path | None:
    try:
        boot = _BOOT.read_text().strip()
        return runtime_dir() / f"pace-{sha256(f'{boot} {whom}'.encode()).hexdigest()[:32]}"
    except (OSError, EngineError):
        return None
