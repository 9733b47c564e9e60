"""What a jail is made of, whichever tool builds it."""

from __future__ import annotations

import functools
import importlib.util
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

__all__ = [
    "CONTROL",
    "GUEST",
    "HOSTNAME",
    "SHM",
    "TMP",
    "ZYGOTE",
    "Bind",
    "Built",
    "Tool",
    "Walls",
    "described",
    "find",
    "in_system",
    "system",
]

CONTROL: Final = 10
"""The descriptor of the control socket inside; the tool's own descriptors come after it."""
HOSTNAME: Final = "evalsi"
GUEST: Final = Path(__file__).with_name("guest.py")
ZYGOTE: Final = Path(__file__).with_name("zygote.py")
_PARTS: Final = ("zygote_rooms", "zygote_watch", "zygote_life", "zygote_case")
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
        flags, text = (FLAGS, _zygote()) if self.forks else (("-I", "-S"), GUEST.read_text())
        return [str(self.python.executable), *flags, "-c", text, str(CONTROL)]

    def environment(self) -> Mapping[str, str]:
        """The first process's environment: that of the programs, where it becomes them."""
        return environment(TMP) if self.forks else {}

    def late_binds(self) -> list[Bind]:
        """What is bound after `/tmp`, which would hide an interpreter below it."""
        etc = [Bind(Path("/etc") / path.name, source=path) for path in sorted(self.etc.iterdir())]
        return [Bind(Path("/box"), source=self.box), *etc, *self.python_binds()]

    def python_binds(self) -> list[Bind]:
        """The interpreter, where it is no part of the system."""
        prefix = self.python.prefix
        return [] if in_system(prefix) else [Bind(prefix)]


@functools.cache
def _zygote() -> str:
    """The zygote's text after its parts, which it finds as the modules that they are here."""
    folder = ZYGOTE.parent
    parts = {f"{__package__}.{name}": (folder / f"{name}.py").read_text() for name in _PARTS}
    return (
        f"import sys, types\nfor name, text in {parts!r}.items():\n"
        "    sys.modules[name] = part = types.ModuleType(name)\n"
        "    exec(compile(text, '<string>', 'exec'), part.__dict__)\n" + ZYGOTE.read_text()
    )


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
