"""How a case ended, as a holder tells it: whatever the bytes say, they are checked here."""

from __future__ import annotations

import math
import os
import struct
from enum import IntEnum
from typing import Final, NamedTuple, Self

from evalsi.core.sandbox import Ended
from evalsi_sandbox import capture

__all__ = ["ANSWER_SIZE", "CONNECTED", "STOPPED", "Answer", "How"]

CONNECTED: Final = 2
"""In what is left: connections, beside which a folder that is not as it was counts 1."""
_HEAD: Final = struct.Struct("=BBdd")
_WAITED: Final = struct.Struct("=i5q104x")
"""A status and the kernel's `struct rusage`: two times of seconds and microseconds, then KiB."""
ANSWER_SIZE: Final = _HEAD.size + _WAITED.size


class How(IntEnum):
    """What ended a case: itself, its clock, our word, its CPU time. Or it never began, or runs."""

    EXITED, WALL, TOLD, CPU, UNCONFINED, RUNNING = range(6)


_KNOWN: Final = {how.value: how for how in How}
STOPPED: Final[dict[How, Ended]] = {How.WALL: "wall", How.CPU: "cpu"}
"""The limits that a holder itself keeps."""


class Answer(NamedTuple):
    """What a holder says of a case.

    Attributes:
        how: what ended it.
        left: what it left; 0 for nothing.
        wall_s: seconds.
        used: its status, CPU time and memory.
    """

    how: How
    left: int
    wall_s: float
    used: capture.Used

    @classmethod
    def of(cls, data: bytes) -> Self | None:
        """The answer of `ANSWER_SIZE` bytes; None where they are none.

        Raises:
            ValueError: the status is none of a process that has ended.
        """
        how, left, wall_s, spent_s = _HEAD.unpack_from(data)
        status, user_s, user_us, system_s, system_us, peak_kib = _WAITED.unpack_from(
            data, _HEAD.size
        )
        if not (
            how in _KNOWN and math.isfinite(wall_s) and math.isfinite(spent_s) and peak_kib >= 0
        ):
            return None
        cpu_s = max(user_s + system_s + (user_us + system_us) / 1e6, spent_s)
        used = capture.Used(os.waitstatus_to_exitcode(status), cpu_s, peak_kib * 1024)
        return cls(_KNOWN[how], left, wall_s, used)
