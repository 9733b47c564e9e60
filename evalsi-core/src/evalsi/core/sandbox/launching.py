"""What a rung has started for it: processes that do not outlive their owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Protocol

__all__ = ["Finished", "Launch", "Launcher", "Process"]


@dataclass(frozen=True, slots=True)
class Launch:
    """A process for the keeper to start: its own session, killed with all its descendants.

    Attributes:
        argv: the program's absolute path, and its arguments.
        env: the whole environment.
        cwd: the working folder.
        limits: rlimits by the name in `resource` ("RLIMIT_CPU"), soft and hard.
        uid: user and group to become before the program starts, or None to stay.
        fds: descriptors of this process by the number they get there; 0, 1 and 2 are /dev/null
            where they are not named.
        enter: cgroup folders whose `cgroup.procs` the process joins before the program starts.
        nice: how far it stands back for others, 0 to 19.
        no_new_privs: whether it may gain no privilege by what it executes, and loses those that
            it would hand down (ambient capabilities).
    """

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/"
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    uid: int | None = None
    fds: Mapping[int, int | IO[bytes]] = field(default_factory=dict)
    enter: Sequence[str] = ()
    nice: int = 0
    no_new_privs: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """How a launched process ended: wait status as `os.waitstatus_to_exitcode` gives it."""

    status: int
    cpu_s: float
    peak_bytes: int


class Process(Protocol):
    """A process that the keeper started and watches."""

    pid: int

    def fileno(self) -> int:
        """A descriptor that becomes readable when the process has ended (for `poll`)."""
        ...

    def wait(self, timeout_s: float | None = None) -> Finished | None:
        """How it ended, or None after `timeout_s`."""
        ...

    def kill(self) -> None:
        """Kills it and every descendant; from any thread, safe to call twice."""
        ...

    def close(self) -> None:
        """Kills it if it runs, and lets go of its descriptors."""
        ...


class Launcher(Protocol):
    """Starts processes that do not outlive their owner, not even after `kill -9`."""

    def launch(self, what: Launch) -> Process:
        """Starts a process; raises `EngineError` when the keeper is gone, `OSError` on exec."""
        ...
