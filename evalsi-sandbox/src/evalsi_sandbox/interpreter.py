"""The interpreter that runs us, as a jail sees it: the same build at the same path."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalsi.core.errors import SandboxUnavailable

__all__ = ["FLAGS", "Interpreter", "environment", "open_to_all", "program"]

FLAGS: Final = ("-s", "-P", "-X", "utf8")
"""Isolated from the user's own packages and from the script's folder, as `-I` is, but not from
the environment: it is clean already, and `PYTHONHASHSEED` in it makes runs repeat."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Attributes: the real path of the executable, and the prefix that holds its library."""

    executable: Path
    prefix: Path

    @classmethod
    def ours(cls) -> Interpreter:
        """The base interpreter: a virtual environment's packages stay outside a jail."""
        base = getattr(sys, "_base_executable", None) or sys.executable
        if not base:
            raise SandboxUnavailable(
                "this Python does not know its own executable (sys.executable is empty), so no "
                "jail can run it; start evalsi from a regular python command"
            )
        return cls(Path(base).resolve(), Path(sys.base_prefix).resolve())


def program(argv: list[str], interpreter: Interpreter) -> list[str]:
    """A command's argv with `{python}` replaced."""
    if argv[:1] == ["{python}"]:
        return [str(interpreter.executable), *FLAGS, *argv[1:]]
    return argv


def environment(home: str) -> dict[str, str]:
    """What every command finds in its environment, unless the jail says otherwise."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
        # Each arena, and each of OpenBLAS's threads, reserves addresses, which are limited.
        "MALLOC_ARENA_MAX": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def open_to_all(path: Path) -> bool:
    """Whether every user may reach `path`: all its parents let others pass."""
    parents = path.resolve().parents
    return bool(path.stat().st_mode & 0o004) and all(
        parent.stat().st_mode & 0o001 for parent in parents
    )
