"""Proves a rung by a program in a real jail that tries what the rung promises to refuse."""

from __future__ import annotations

import json
import os
import socket
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import EvalsiError
from evalsi.core.sandbox import Command, JailSpec, Limits, Unusable, Usable

if TYPE_CHECKING:
    from evalsi.core.sandbox import Jail, Outcome, Rung

__all__ = ["NAMESPACED", "PROCESS", "probe"]

PROCESS: Final = ("more processes than its cap",)
NAMESPACED: Final = (
    "the network",
    "a private file of its opener",
    "the system for writing",
    "the host's processes",
    *PROCESS,
)
_GUEST: Final = Path(__file__).with_name("canary_guest.py")
_LIMITS: Final = Limits(wall_s=10.0, cpu_s=5.0, memory_mb=256, processes=4)
_TEXT: Final = "evalsi canary"


def probe(
    rung: Rung, promises: Collection[str], describe: Callable[[Jail], str], mend: str
) -> Usable | Unusable:
    """Usable when the canary ran and was refused everything in `promises`; never raises.

    Args:
        rung: the rung to prove.
        promises: what it must refuse, by the names in `NAMESPACED`.
        describe: how the jail holds its limits, for people.
        mend: what to try when the canary got to something.
    """
    try:
        jail = rung.open(JailSpec(files={"canary.py": _GUEST.read_bytes()}))
        try:
            reached = _fly(jail)
            detail = describe(jail)
        finally:
            jail.close()
    except (EvalsiError, OSError, ValueError) as error:
        reason, _, known = str(error).partition("; mend: ")
        return Unusable(reason, known or mend)
    broken = [name for name in promises if name in reached]
    if broken:
        return Unusable(f"a canary in the jail got to {', '.join(broken)}", mend)
    return Usable(detail)


def _fly(jail: Jail) -> list[str]:
    """What the canary reached."""
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.NamedTemporaryFile() as secret:
        secret.write(_TEXT.encode())
        secret.flush()
        prey = {
            "port": server.getsockname()[1],
            "file": secret.name,
            "text": _TEXT,
            "opener": os.getpid(),
            "processes": _LIMITS.processes,
        }
        command = Command(("{python}", "/box/canary.py"), json.dumps(prey).encode())
        return _said(jail.run(command, _LIMITS))


def _said(outcome: Outcome) -> list[str]:
    if not outcome.clean:
        words = outcome.stderr.decode("utf-8", "replace").strip()[-300:]
        raise ValueError(f"a canary in the jail {outcome.ended} ({outcome.status}): {words}")
    reached = json.loads(outcome.stdout)
    return [str(name) for name in reached]
