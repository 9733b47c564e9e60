"""Rungs on a ladder, jails that they open, and outcomes that jails report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import socket

__all__ = [
    "LADDER",
    "Command",
    "Ended",
    "Jail",
    "JailSpec",
    "Limits",
    "Outcome",
    "Rung",
    "Unusable",
    "Usable",
]

LADDER: Final = ("process", "confined", "namespaced", "gvisor")
"""Every rung's name, weakest first; a rung's level is its place."""

Ended: TypeAlias = Literal["exited", "signalled", "wall", "cpu", "memory", "output", "killed"]

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one command in a jail may use.

    CPU time is the primary limit of hostile code; wall time is kept by a kill from outside.

    Attributes:
        wall_s: seconds on the clock, for the command and everything that it starts.
        cpu_s: seconds of CPU a process; of the whole jail, twice that.
        memory_mb: MiB of memory: of the whole jail under a cgroup, else of each process.
        processes: processes and threads in the jail at once.
        output_bytes: bytes kept of stdout, and of stderr; one byte more ends the command.
        file_mb: MiB of the largest file.
        open_files: file descriptors a process.
    """

    wall_s: float = 10.0
    cpu_s: float = 5.0
    memory_mb: int = 1024
    processes: int = 64
    output_bytes: int = 8 * 1024 * 1024
    file_mb: int = 16
    open_files: int = 256


@dataclass(frozen=True, slots=True)
class JailSpec:
    """What a jail holds, beside the read-only system.

    Attributes:
        files: read-only files by path relative to `/box`, inside the jail.
        tmp_mb: size of the private `/tmp`, the only place to write, also the working folder.
        shm_mb: size of the private `/dev/shm`.
        env: the whole environment; a jail inherits nothing from its opener.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    tmp_mb: int = 64
    shm_mb: int = 16
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run in a jail.

    Attributes:
        argv: program and arguments; `{python}` as the first stands for the jail's interpreter.
        stdin: bytes on standard input, then end of file.
        wire: one end of a socket pair, passed as descriptor 3; the caller keeps its own end.
    """

    argv: Sequence[str]
    stdin: bytes = b""
    wire: socket.socket | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command in a jail ended.

    Attributes:
        ended: `exited`, `signalled`, or the limit that ended it; `killed` by `Jail.kill`.
        status: the exit status, or the number of the signal.
        stdout: bytes on standard output, at most `Limits.output_bytes`.
        stderr: likewise.
        wall_s: seconds on the clock.
        cpu_s: seconds of CPU of the command and the children that it waited for.
        peak_bytes: the largest resident size, or None where it is not known.
    """

    ended: Ended
    status: int
    stdout: bytes = b""
    stderr: bytes = b""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int | None = None

    @property
    def clean(self) -> bool:
        """Whether the command ended by itself with status 0."""
        return self.ended == "exited" and self.status == 0


@dataclass(frozen=True, slots=True)
class Usable:
    """A rung works here: `detail` says how ("bubblewrap 0.11.0, memory per process")."""

    detail: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """A rung does not work here: the reason, and the command or setting that mends it."""

    reason: str
    mend: str


class Jail(Protocol):
    """An open jail: one command at a time; what a command leaves in `/tmp` the next one sees.

    A command that had to be killed may take its jail along; `run` then raises, open another.
    """

    @property
    def enforced(self) -> Mapping[str, str]:
        """What holds each limit: `{"memory": "cgroup" | "per-process", …}`."""
        ...

    def run(self, command: Command, limits: Limits) -> Outcome:
        """Runs a command to its end; raises `SandboxUnavailable` when the jail is broken."""
        ...

    def kill(self) -> None:
        """Ends whatever runs, from any thread; a blocked `run` returns with `killed`."""
        ...

    def close(self) -> None:
        """Ends the jail and removes all that it left; safe to call twice."""
        ...


class Rung(Protocol):
    """One step of the ladder, as a plugin; constructed with the engine's `Launcher`."""

    name: str
    level: int

    def probe(self) -> Usable | Unusable:
        """Proves the rung by a canary inside a jail; never raises."""
        ...

    def open(self, jail: JailSpec) -> Jail:
        """Opens a jail; raises `SandboxUnavailable`."""
        ...

    def ability(self, kind: type[A]) -> A | None:
        """A faster way to do what `open` and `run` do (`PythonFork`), or None."""
        ...
