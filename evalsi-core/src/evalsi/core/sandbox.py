"""The contract of a sandbox: rungs on a ladder, jails that they open, outcomes that jails report.

Broken infrastructure raises `SandboxUnavailable`; it is never an `Outcome`. An outcome tells how
the program in the jail ended, and nothing about whether it was right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import (
    IO,
    TYPE_CHECKING,
    Final,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    runtime_checkable,
)

if TYPE_CHECKING:
    import socket

__all__ = [
    "LADDER",
    "Command",
    "Ended",
    "Finished",
    "Jail",
    "JailSpec",
    "Launch",
    "Launcher",
    "Limits",
    "Loaded",
    "OneShotFork",
    "Outcome",
    "Process",
    "Program",
    "PythonFork",
    "Rung",
    "Unusable",
    "Usable",
    "encoded",
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


@dataclass(frozen=True, slots=True)
class Program:
    """Python text that runs as `__main__`, with an empty `sys.argv[1:]`.

    Attributes:
        source: the text.
        jail: what its jail holds beside.
        before: text that the caller vouches for, which runs before it in the same interpreter; a
            rung may run it once for all cases, so it must leave nothing that a fork cannot share.
    """

    source: str
    jail: JailSpec = field(default_factory=JailSpec)
    before: str = ""


@runtime_checkable
class Loaded(Protocol):
    """A program that is ready to run its cases, each in a process of its own."""

    @property
    def enforced(self) -> Mapping[str, str]:
        """As `Jail.enforced`."""
        ...

    def case(self, stdin: bytes, limits: Limits, *, wire: socket.socket | None = None) -> Outcome:
        """Runs the program once."""
        ...

    def kill(self) -> None:
        """Ends a running case, from any thread."""
        ...

    def close(self) -> None:
        """Lets go of everything; safe to call twice."""
        ...


@runtime_checkable
class PythonFork(Protocol):
    """The ability to run many cases of one Python program, each isolated from the others."""

    @property
    def rung(self) -> str:
        """The rung's name and launcher, for `By`: "namespaced/bubblewrap"."""
        ...

    def load(self, program: Program) -> Loaded:
        """Makes a program ready; raises `SandboxUnavailable`."""
        ...


class OneShotFork:
    """`PythonFork` by one jail a case: the reference that every faster path must agree with."""

    def __init__(self, rung: Rung, name: str = "") -> None:
        self._rung = rung
        self.rung = name or rung.name

    def load(self, program: Program) -> Loaded:
        """Keeps the program; every case opens a fresh jail."""
        return _OneShot(self._rung, program)


class _OneShot:
    def __init__(self, rung: Rung, program: Program) -> None:
        self._rung = rung
        files = {**program.jail.files, "main.py": encoded(_whole(program))}
        self._jail = replace(program.jail, files=files)
        self._open: Jail | None = None
        self._killed = False
        self.enforced: Mapping[str, str] = {}

    def case(self, stdin: bytes, limits: Limits, *, wire: socket.socket | None = None) -> Outcome:
        jail = self._open = self._rung.open(self._jail)
        try:
            if self._killed:
                return Outcome("killed", 9)
            self.enforced = jail.enforced
            return jail.run(Command(("{python}", "/box/main.py"), stdin, wire), limits)
        finally:
            self._open = None
            jail.close()

    def kill(self) -> None:
        self._killed = True
        jail = self._open
        if jail is not None:
            jail.kill()

    def close(self) -> None:
        self.kill()


def _whole(program: Program) -> str:
    if not program.before:
        return program.source
    parts = ((program.before, "before"), (program.source, "main"))
    texts = [f"compile({text!a}, '/box/{name}.py', 'exec')" for text, name in parts]
    return f"exec({texts[0]}, {{'__name__': 'before'}})\nexec({texts[1]})\n"


def encoded(source: str) -> bytes:
    """Python text as a file that every interpreter reads back, lone surrogates included.

    UTF-8 has no lone surrogates; such a text is a program whose text is the `exec` of an escaped
    literal, so that the interpreter in the jail says what it thinks of it.
    """
    try:
        return source.encode()
    except UnicodeEncodeError:
        return f"exec(compile({source!a}, '/box/main.py', 'exec'))\n".encode()
