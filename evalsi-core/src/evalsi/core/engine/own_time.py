"""How long another process has computed, whatever else its machine did meanwhile (Linux)."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Final

__all__ = ["OwnTime"]

_SCHEDULED: Final = 2
"""Which clock of a process, in the kernel's numbering: what its threads ran (clock_getres(2))."""


class OwnTime:
    """The processor time of a process from now on.

    Args:
        pid: a process of this namespace.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._clock = ~pid << 3 | _SCHEDULED
        self._before_s = self._now_s()

    def spent_s(self) -> float:
        """Seconds that it ran, over all its threads; infinite when it is gone."""
        return self._now_s() - self._before_s

    def wants_to_run(self) -> bool:
        """Whether it runs, or would if the machine let it: it waits for a core or a disk only."""
        try:
            stat = Path(f"/proc/{self._pid}/stat").read_bytes()
        except OSError:
            return False
        return stat.rpartition(b") ")[2][:1] in {b"R", b"D"}

    def _now_s(self) -> float:
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return math.inf
