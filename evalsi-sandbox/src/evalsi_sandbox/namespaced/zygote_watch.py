"""What a case and its children use, up to a measure.

A part of the zygote's text: standard library only.
"""

import io
import os
import time

LOOK_S = 0.25  # between two looks at what a case and its children use
TICKS = os.sysconf("SC_CLK_TCK")
EXITED, WALL, TOLD, CPU, UNCONFINED, RUNNING = range(6)


class Purse:
    """What a case and its children may use together, in seconds of CPU."""

    def __init__(self, limit_s: float, now: float) -> None:
        self.limit_s = limit_s
        self.spent_s = self.seen_s = 0.0
        self.look_at = now + LOOK_S

    def is_empty(self) -> bool:
        """Looks; a child that nobody waits for takes its time with it, so a fall counts 0."""
        now = time.monotonic()
        if now < self.look_at or os.readlink("/proc/self") != "1":  # noqa: PTH115 - not our /proc
            return False
        self.look_at = now + LOOK_S
        now_s = sum(map(used_by, filter(str.isdigit, os.listdir("/proc"))))  # noqa: PTH208
        self.spent_s += max(0.0, now_s - self.seen_s)
        self.seen_s = now_s
        return self.spent_s > self.limit_s


def used_by(process: str) -> float:
    """Seconds of CPU of a process and the children that it waited for; the holder's count 0."""
    if process == "1":
        return 0.0
    try:
        with io.FileIO(f"/proc/{process}/stat") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:  # it ended meanwhile
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS
