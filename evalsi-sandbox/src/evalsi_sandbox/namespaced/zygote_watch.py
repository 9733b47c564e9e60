"""What a case prints and uses, up to a measure.

A part of the zygote's text: standard library only.
"""

import io
import math
import mmap
import os
import select
import time

CHUNK = 65536
LOOK_S = 0.25  # between two looks at what a case and its children use
TICKS = os.sysconf("SC_CLK_TCK")
EXITED, WALL, OUTPUT, CPU, UNCONFINED = range(5)


class Purse:
    """What a case and its children may use together, in seconds of CPU; 0: the opener counts."""

    def __init__(self, limit_s: float, now: float) -> None:
        self.limit_s = limit_s
        self.look_s = LOOK_S if limit_s else math.inf
        self.spent_s = self.seen_s = 0.0
        self.look_at = now + self.look_s

    def is_empty(self) -> bool:
        """Looks; a child that nobody waits for takes its time with it, so a fall counts 0."""
        now = time.monotonic()
        if now < self.look_at or os.readlink("/proc/self") != "1":  # noqa: PTH115 - not our /proc
            return False
        self.look_at = now + self.look_s
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


class Printed:
    """What a case has printed, up to a measure, in memory that no later case has a copy of.

    A pipe is never read past what it holds: its writing end may outlive the case, in a message
    that waits in a socket to somebody outside.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.fds = (-1, -1)
        self.sizes = [0, 0]
        self.memory = mmap.mmap(-1, 2 * (most + 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.memory.madvise(mmap.MADV_DONTFORK)
        self.view = memoryview(self.memory)

    def start(self, out: int, err: int) -> None:
        """Begins with two empty pipes."""
        self.fds = (out, err)
        self.sizes = [0, 0]

    def take(self, fd: int) -> int:
        """Takes what is there; how much that was, or -1 when it was too much."""
        at = self.fds.index(fd)
        size = self.sizes[at]
        first = at * (self.most + 1) + size
        got = os.readv(fd, [self.view[first : first + min(CHUNK, self.most + 1 - size)]])
        self.sizes[at] = min(size + got, self.most)
        return got if size + got <= self.most else -1

    def rest(self) -> int:
        """Takes what the pipes still hold."""
        poll = select.poll()
        for fd in self.fds:
            poll.register(fd, select.POLLIN)
        while True:
            ready = [fd for fd, what in poll.poll(0) if what & select.POLLIN]
            if not ready:
                return EXITED
            for fd in ready:
                if self.take(fd) < 0:
                    return OUTPUT

    def parts(self) -> list[memoryview]:
        """Both outputs."""
        firsts = (0, self.most + 1)
        return [self.view[a : a + size] for a, size in zip(firsts, self.sizes, strict=True)]

    def end(self) -> None:
        """Closes the pipes, and gives much memory back."""
        for fd in self.fds:
            os.close(fd)
        if sum(self.sizes) > 4 * CHUNK:
            self.memory.madvise(mmap.MADV_DONTNEED)
