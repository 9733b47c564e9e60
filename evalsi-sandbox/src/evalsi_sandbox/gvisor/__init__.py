"""The rung `gvisor`: hostile code on a kernel of its own, by gVisor's runsc.

The program's system calls are answered by gVisor's kernel, a process; few of them reach the
host's. The root folder is put together from read-only binds: runsc's own `do` shows host files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import OneShotFork, PythonFork
from evalsi_sandbox import canary, cgroup, linux
from evalsi_sandbox.gvisor.jail import MEND, GvisorJail, Sandbox, executable

if TYPE_CHECKING:
    from evalsi.core.sandbox import Jail, JailSpec, Launcher, Unusable, Usable

__all__ = ["GvisorRung"]

A = TypeVar("A")
# Never kvm: in a virtual machine without nested virtualisation it hangs.
_PLATFORMS: Final = ("systrap", "ptrace")


class GvisorRung:
    """Level 3 of the ladder. The first platform that works is taken and kept."""

    name = "gvisor"
    level = 3

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._platform: str | None = None

    def probe(self) -> Usable | Unusable:
        """Runs a canary that tries to get out."""
        return canary.probe(self, canary.NAMESPACED, self._described, MEND)

    def open(self, jail: JailSpec) -> GvisorJail:
        """Opens a jail; its guest has answered once this returns."""
        linux.require("gvisor")
        executable()
        cgroup.sweep()
        failures = []
        for platform in [self._platform] if self._platform else _PLATFORMS:
            try:
                sandbox = Sandbox(self._launcher, platform, jail)
            except SandboxUnavailable as error:
                failures.append(error)
            else:
                self._platform = platform
                return GvisorJail(sandbox, jail.env)
        raise failures[-1]

    def ability(self, kind: type[A]) -> A | None:
        """`PythonFork` by one sandbox a case."""
        return cast("A", OneShotFork(self)) if kind is PythonFork else None

    def _described(self, jail: Jail) -> str:
        return f"runsc on {self._platform}, memory {jail.enforced['memory']}"
