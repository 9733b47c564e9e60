"""Watches a running command: both its outputs at once, its clock, and its end."""

from __future__ import annotations

import os
import select
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import FileIO
from typing import Final, Literal

from evalsi.core.sandbox import Ended, Limits, Outcome
from evalsi_sandbox.rlimits import jail_cpu_s

__all__ = ["LOOK_S", "Purse", "Used", "Watch", "ended_by", "pipe"]

_CHUNK: Final = 1 << 16
LOOK_S: Final = 0.25
"""Between two looks at what a jail has used."""
_DRAIN_S: Final = 2.0  # for what the pipes still hold once every writer has been killed
# The kernel enforces CPU limits by counted ticks and reports precise time: on a busy machine the
# two differ. SIGXCPU says what it means; SIGKILL may have come from elsewhere, and comes a second
# after the limit.
_CPU_SIGNALS: Final = {signal.SIGXCPU.value: 0.5, signal.SIGKILL.value: 1.0}


def pipe(closing: ExitStack) -> tuple[int, FileIO]:
    """A pipe's reading and writing end, both closed by `closing` at the latest.

    A jail may open its end again by path (`/dev/stdout`), whoever it runs as.
    """
    reading, writing = os.pipe()
    closing.callback(os.close, reading)
    os.fchmod(writing, 0o666)
    return reading, closing.enter_context(FileIO(writing, "wb"))


@dataclass(frozen=True, slots=True)
class Used:
    """How a command ended and what it used: `status` is negative for a signal."""

    status: int
    cpu_s: float = 0.0
    peak_bytes: int | None = None


def ended_by(used: Used, limits: Limits, *, out_of_memory: bool) -> Ended:
    """What ended a command that broke no limit of ours: itself, a signal, CPU or memory."""
    if out_of_memory:
        return "memory"
    if used.status >= 0:
        return "exited"
    least = _CPU_SIGNALS.get(-used.status)
    over = least is not None and used.cpu_s >= least * limits.cpu_s
    return "cpu" if over else "signalled"


@dataclass(slots=True)
class Purse:
    """The CPU time that a jail's processes may use together, looked into four times a second."""

    count: Callable[[], float | None]
    before_s: float
    limit_s: float
    spent_s: float = 0.0
    _look_at: float = field(default_factory=lambda: time.monotonic() + LOOK_S)

    def is_empty(self) -> bool:
        """Whether they have used more than that."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + LOOK_S
            self.spent_s = (self.count() or 0.0) - self.before_s
        return self.spent_s > self.limit_s


@dataclass(slots=True)
class Watch:
    """One command under watch.

    Attributes:
        stdout: the reading end of its output.
        stderr: likewise.
        ended: a descriptor that becomes readable when the command has ended.
        limits: the clock, the size of each output, and the CPU time of the whole jail.
        spent: seconds of CPU that the jail has used in its life, where somebody counts.
        stopped: the limit that the command broke, or None.
        wall_s: how long it ran.
    """

    stdout: int
    stderr: int
    ended: int
    limits: Limits
    spent: Callable[[], float | None] | None = None
    stopped: Literal["wall", "output", "cpu"] | None = None
    wall_s: float = 0.0
    _purse: Purse | None = None
    _kept: dict[int, bytearray] = field(default_factory=lambda: defaultdict(bytearray))

    def until_end(self) -> bool:
        """Reads until the command has ended; False when it broke a limit and must be killed."""
        started = time.monotonic()
        if self.spent is not None and (before := self.spent()) is not None:
            self._purse = Purse(self.spent, before, jail_cpu_s(self.limits))
        over = self._read_until(started + self.limits.wall_s, self.ended)
        self.wall_s = time.monotonic() - started
        if not over:
            self.stopped = self.stopped or "wall"
        return over

    def drain(self) -> None:
        """Reads what the pipes still hold, once nothing of the command is left alive."""
        self._read_until(time.monotonic() + _DRAIN_S, None)

    def outcome(self, used: Used, *, killed: bool, out_of_memory: bool) -> Outcome:
        """What to report: the first of the limits that was broken, else how the command ended."""
        stdout, stderr = bytes(self._kept[self.stdout]), bytes(self._kept[self.stderr])
        ended = self._ended(used, killed=killed, out_of_memory=out_of_memory)
        by_us = killed or self.stopped is not None
        status = signal.SIGKILL.value if by_us else abs(used.status)
        purse = self._purse if self.stopped == "cpu" else None
        cpu_s = used.cpu_s if purse is None else purse.spent_s
        return Outcome(ended, status, stdout, stderr, self.wall_s, cpu_s, used.peak_bytes)

    def _ended(self, used: Used, *, killed: bool, out_of_memory: bool) -> Ended:
        if killed:
            return "killed"
        return self.stopped or ended_by(used, self.limits, out_of_memory=out_of_memory)

    def _read_until(self, deadline: float, ended: int | None) -> bool:
        """Reads until the command's end or, without `ended`, until every writer is gone."""
        poll = select.poll()
        open_ends = {self.stdout, self.stderr}
        for descriptor in open_ends | ({ended} if ended is not None else set()):
            poll.register(descriptor, select.POLLIN)
        while ended is not None or open_ends:
            left = deadline - time.monotonic()
            ready = poll.poll(min(left, LOOK_S) * 1000) if left > 0 else []
            if ended is not None and self._purse is not None and self._purse.is_empty():
                self.stopped = "cpu"
            if left <= 0 or self.stopped:
                return False
            for descriptor, _ in ready:
                if descriptor == ended:
                    return True
                if not self._read(descriptor):
                    open_ends.discard(descriptor)
                    poll.unregister(descriptor)
            if self.stopped:
                return False
        return True

    def _read(self, descriptor: int) -> bool:
        """Takes what is there; False at the end of the stream."""
        kept = self._kept[descriptor]
        chunk = os.read(descriptor, _CHUNK)
        room = self.limits.output_bytes - len(kept)
        kept += chunk[:room]
        if len(chunk) > room:
            self.stopped = "output"
        return bool(chunk)
