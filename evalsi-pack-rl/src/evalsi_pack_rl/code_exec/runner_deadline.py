"""A fork that keeps the rollout's deadline: slow code is a timeout and never an error."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

    from evalsi.core.sandbox import Limits, Loaded, Outcome, Program, PythonFork

__all__ = ["TimedFork"]

_SPARE_S: Final = 0.5  # to end a case and to tell of it


class TimedFork:
    """A fork of Python whose cases get no more time on the clock than there is.

    Args:
        fork: what runs them.
        remaining_s: gives the seconds until the deadline, or None without one.

    Attributes:
        memory: what held the memory cap of the last case, as in `Jail.enforced`.
    """

    def __init__(self, fork: PythonFork, remaining_s: Callable[[], float | None]) -> None:
        self._fork = fork
        self._remaining_s = remaining_s
        self.rung = fork.rung
        self.memory = ""

    def load(self, program: Program) -> Loaded:
        """Loads a program whose cases keep the deadline."""
        return _TimedProgram(self._fork.load(program), self)

    def left_s(self) -> float | None:
        """Seconds that a case may take; 0 when there is no time for another."""
        remaining_s = self._remaining_s()
        return None if remaining_s is None else max(0.0, remaining_s - _SPARE_S)


class _TimedProgram:
    def __init__(self, loaded: Loaded, fork: TimedFork) -> None:
        self._loaded = loaded
        self._fork = fork

    @property
    def enforced(self) -> Mapping[str, str]:
        return self._loaded.enforced

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        left_s = self._fork.left_s()
        if left_s is not None and left_s < limits.wall_s:
            limits, ahead = replace(limits, wall_s=left_s), None  # the next one has less yet
        outcome = self._loaded.case(stdin, limits, wire=wire, ahead=ahead)
        self._fork.memory = self._loaded.enforced.get("memory", "")
        return outcome

    def kill(self) -> None:
        self._loaded.kill()

    def close(self) -> None:
        self._loaded.close()
