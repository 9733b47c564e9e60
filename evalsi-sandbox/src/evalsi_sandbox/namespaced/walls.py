"""What a jail is made of, whichever tool builds it."""

from __future__ import annotations

import functools
import importlib.util
import marshal
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from io import FileIO
from pathlib import Path
from typing import Final, Protocol

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import JailSpec
from evalsi_sandbox.interpreter import FLAGS, Interpreter, environment
from evalsi_sandbox.namespaced import seccomp

__all__ = [
    "CONTROL",
    "GUEST",
    "HOSTNAME",
    "SHM",
    "START",
    "TMP",
    "Bind",
    "Built",
    "Tool",
    "Walls",
    "described",
    "find",
    "in_system",
    "system",
    "zygote",
]

CONTROL: Final = 10
"""The descriptor of the control socket inside; the tool's own descriptors come after it."""
HOSTNAME: Final = "evalsi"
GUEST: Final = Path(__file__).with_name("guest.py")
START: Final = Path(__file__).with_name("zygote_start.py")
_PARTS: Final = tuple(
    f"zygote{part}"
    for part in (
        *("_calls", "_rooms", "_line", "_processor", "_memory", "_watch", "_life", "_case"),
        *("_rehearsal", ""),
    )
)
TMP: Final = "/tmp"  # noqa: S108 - inside, and private
SHM: Final = "/dev/shm"  # noqa: S108 - inside, and private
_SYSTEM: Final = ("bin", "lib", "lib32", "lib64", "libx32", "sbin", "usr")
_ETC: Final = ("/etc/alternatives", "/etc/ld.so.cache")


@dataclass(frozen=True, slots=True)
class Bind:
    """A read-only bind of `source`, or of the same path outside; or a symbolic link to `link`."""

    path: Path
    link: str | None = None
    source: Path | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """A tool's command up to the guest's own, and the files that it reads by descriptor."""

    argv: Sequence[str]
    fds: Mapping[int, FileIO] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Walls:
    """What the tool is to build.

    Attributes:
        spec: the sizes of `/tmp` and `/dev/shm`.
        python: the interpreter that must be found inside.
        box: the folder that is `/box` inside.
        etc: the folder with what is bound below `/etc`.
        forks: whether its first process forks Python for many programs. It then confines each of
            them by itself, and no system call is refused before.
    """

    spec: JailSpec
    python: Interpreter
    box: Path
    etc: Path
    forks: bool = False

    def guest(self) -> list[str]:
        """The command of the jail's first process."""
        flags, text = (FLAGS, START) if self.forks else (("-I", "-S"), GUEST)
        return [str(self.python.executable), *flags, "-c", text.read_text(), str(CONTROL)]

    def environment(self) -> Mapping[str, str]:
        """The first process's environment: that of the programs, where it becomes them.

        A zygote's libraries find all of their functions at the start, and not in each fork.
        """
        return {**environment(TMP), "LD_BIND_NOW": "1"} if self.forks else {}

    def late_binds(self) -> list[Bind]:
        """What is bound after `/tmp`, which would hide an interpreter below it."""
        etc = [Bind(Path("/etc") / path.name, source=path) for path in sorted(self.etc.iterdir())]
        return [Bind(Path("/box"), source=self.box), *etc, *self.python_binds()]

    def python_binds(self) -> list[Bind]:
        """The interpreter, where it is no part of the system."""
        prefix = self.python.prefix
        return [] if in_system(prefix) else [Bind(prefix)]


@functools.cache
def zygote() -> bytes:
    """The zygote's code after that of its parts, by their names, and its system call filter."""
    texts = {f"{__package__}.{name}": GUEST.with_name(f"{name}.py").read_text() for name in _PARTS}
    codes = {
        name: compile(text, "<string>", "exec", dont_inherit=True, optimize=2)
        for name, text in texts.items()
    }
    return marshal.dumps((codes, seccomp.program(seccomp.machine())))


class Tool(Protocol):
    """A program that builds jails."""

    name: str
    distribution: str
    mend: str

    def executable(self) -> Path:
        """Where it is; raises `SandboxUnavailable`."""
        ...

    def build(self, walls: Walls) -> Built:
        """The command that becomes a jail."""
        ...


def system() -> Iterator[Bind]:
    """The system's programs and libraries, links kept as links."""
    for name in _SYSTEM:
        path = Path("/") / name
        if path.is_symlink():
            yield Bind(path, str(path.readlink()))
        elif path.is_dir():
            yield Bind(path)
    yield from (Bind(Path(name)) for name in _ETC if Path(name).exists())


def in_system(path: Path) -> bool:
    """Whether `system` brings a path in."""
    return any(path.is_relative_to(f"/{name}") for name in _SYSTEM)


def find(binary: str, module: str, mend: str) -> Path:
    """A tool's executable: the one in the Python package, else the one on PATH."""
    spec = importlib.util.find_spec(module)
    if spec is not None and spec.origin is not None:
        packed = Path(spec.origin).parent / "_bin" / binary
        if packed.exists():
            return packed
    found = shutil.which(binary)
    if found is None:
        raise SandboxUnavailable(f"{binary} is not installed; mend: {mend}")
    return Path(found)


def described(tool: Tool) -> str:
    """A tool's name with its version, or with its place where it is not from a package."""
    try:
        return f"{tool.name} {metadata.version(tool.distribution)}"
    except metadata.PackageNotFoundError:
        return f"{tool.name} ({tool.executable()})"
