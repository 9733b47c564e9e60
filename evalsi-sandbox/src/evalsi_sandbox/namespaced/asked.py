"""What a holder is asked for: its program, and one case after another."""

from __future__ import annotations

import marshal
import math
import resource
import time
from typing import TYPE_CHECKING, Final

from evalsi.core.sandbox import Limits, Program, encoded
from evalsi_sandbox.interpreter import environment
from evalsi_sandbox.namespaced.walls import SHM, TMP
from evalsi_sandbox.rlimits import jail_cpu_s, rlimits

if TYPE_CHECKING:
    from evalsi.core.sandbox import JailSpec
    from evalsi_sandbox.namespaced.printed import Printed

__all__ = ["Sent", "request", "setup"]

_UNREAD_S: Final = 0.01


class Sent:
    """A case that was asked for.

    Attributes:
        printed: what it prints.
        was_unread: whether it may have spent its time in waiting for somebody to read that.
    """

    def __init__(self, printed: Printed, stdin: bytes, limits: Limits) -> None:
        self.printed = printed
        self.limits = limits
        self.was_unread = False
        self._stdin = stdin
        self._begun = math.inf

    def is_of(self, stdin: bytes, limits: Limits) -> bool:
        """Whether it is that case."""
        return (self._stdin, self.limits) == (stdin, limits)

    def begins(self) -> None:
        """The case before it has ended."""
        self._begun = time.monotonic()

    def look(self) -> None:
        """Somebody reads from now on."""
        late = time.monotonic() - self._begun > _UNREAD_S
        self.was_unread = late and self.printed.is_unread()


def setup(program: Program) -> bytes:
    """What a holder is told of its program."""
    spec: JailSpec = program.jail
    source = encoded(program.source)
    usual = environment(TMP)  # what the zygote was started with
    told = {
        "source": source,
        "before": program.before,
        "files": {**spec.files, "main.py": source},
        "rooms": {TMP: spec.tmp_mb, SHM: spec.shm_mb},
        "env": {name: value for name, value in spec.env.items() if value != usual.get(name)},
    }
    return marshal.dumps(told)


def request(limits: Limits, *, seeks: bool, in_cgroup: bool) -> bytes:
    """What a holder is told of a case: its limits, and whether its standard input is a file."""
    caps = rlimits(limits, processes=limits.processes + 1, bounded_together=in_cgroup)
    told = {
        "wall_s": float(limits.wall_s),
        "together_s": float(jail_cpu_s(limits)),
        "first_to_die": in_cgroup,
        "seeks": seeks,
        "rlimits": [(getattr(resource, name), *pair) for name, pair in caps.items()],
    }
    return marshal.dumps(told)
