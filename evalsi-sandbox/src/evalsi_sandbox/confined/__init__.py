"""The rung `confined`: hostile code where no namespaces can be made, by Landlock and a filter.

A container often may not make namespaces. A program can still restrict itself for good: it reads
the system and its own files, writes to one folder, and has no way to reach the network, another
process, or what the host shares by number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import OneShotFork, PythonFork
from evalsi_sandbox import canary, cgroup
from evalsi_sandbox.confined import landlock
from evalsi_sandbox.confined.jail import ConfinedJail

if TYPE_CHECKING:
    from evalsi.core.sandbox import Jail, JailSpec, Launcher, Unusable, Usable

__all__ = ["ConfinedRung"]

A = TypeVar("A")
_MEND: Final = "run as an ordinary user, or put Python where every user may read it (/opt)"


class ConfinedRung:
    """Level 1 of the ladder."""

    name = "confined"
    level = 1

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def probe(self) -> Usable | Unusable:
        """Runs a canary that tries what this rung promises to refuse."""
        return canary.probe(self, canary.NAMESPACED, _described, _MEND)

    def open(self, jail: JailSpec) -> ConfinedJail:
        """Makes the jail's folder; what confines is taken on by each command as it starts."""
        abi = landlock.abi()
        cgroup.sweep()
        try:
            return ConfinedJail(self._launcher, jail, abi)
        except OSError as error:
            raise SandboxUnavailable(f"cannot make a folder for a jail: {error}") from error

    def ability(self, kind: type[A]) -> A | None:
        """`PythonFork` by one jail a case."""
        return cast("A", OneShotFork(self)) if kind is PythonFork else None


def _described(jail: Jail) -> str:
    return f"Landlock ABI {landlock.abi()}, memory {jail.enforced['memory']}"
