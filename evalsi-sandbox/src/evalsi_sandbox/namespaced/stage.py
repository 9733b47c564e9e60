"""A way for nobody to reach what only root may pass by.

A jail that root opens runs as nobody, and nobody cannot enter `/root`, where the interpreter or
the tool itself may live. Root then builds a root folder around them, in a mount namespace of its
own, in which every user may pass; nobody builds the jail from there. Files keep their own modes.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from evalsi.core.errors import SandboxUnavailable
from evalsi_sandbox.interpreter import open_to_all
from evalsi_sandbox.namespaced.bubblewrap import Bubblewrap, binds
from evalsi_sandbox.namespaced.walls import TMP, Bind, Tool, Walls, in_system, system
from evalsi_sandbox.rlimits import NOBODY

__all__ = ["command", "needed"]


def needed(tool: Tool, walls: Walls) -> bool:
    """Whether something that the jail needs lies where only root may pass."""
    return not all(map(open_to_all, (walls.python.prefix, tool.executable(), walls.box)))


def command(tool: Tool, walls: Walls) -> Sequence[str]:
    """What root runs, up to the tool's command."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise SandboxUnavailable("setpriv is not installed; install it: apt-get install util-linux")
    return [
        str(Bubblewrap().executable()),
        *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
        *binds(system()),
        *("--bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev"),
        # bubblewrap builds below it, and where TMPDIR is elsewhere no bind brings it.
        *("--dir", TMP),
        *binds(
            [Bind(walls.box), Bind(walls.etc), *walls.python_binds(), *_parts(tool.executable())]
        ),
        "--",
        *(setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"),
    ]


def _parts(executable: Path) -> list[Bind]:
    """A tool outside `/usr`, with the libraries that its wheel carries."""
    if in_system(executable):
        return []
    package = executable.parents[1]
    libraries = package.with_name(f"{package.name}.libs")
    return [Bind(executable), *([Bind(libraries)] if libraries.is_dir() else [])]
