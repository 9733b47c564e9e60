"""What evaluators are handed: worker processes, and for code the cheapest rung that will do.

The rung is chosen at first use and kept; when none serves, that is an error of the component,
tried again a little later, because an outage may end.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from evalsi.core.engine.lease import Lease, present_lease
from evalsi.core.errors import PluginError, SandboxUnavailable
from evalsi.core.evaluator import Need, Tools
from evalsi.core.results import JSON
from evalsi.core.sandbox import (
    LADDER,
    Launcher,
    Limits,
    Loaded,
    OneShotFork,
    Outcome,
    Program,
    PythonFork,
    Rung,
    Unusable,
    Usable,
)
from evalsi.core.workers import WorkerAnswer

if TYPE_CHECKING:
    import socket

    from evalsi.core.plugins import PluginHost

__all__ = ["Ladder", "tools_for"]

_DEFAULT: Final = "namespaced"
_RETRY_S: Final = 10.0


class Ladder:
    """The rungs that installed packs offer, each probed once. Safe from many threads."""

    def __init__(self, host: PluginHost, launcher: Launcher) -> None:
        self._host = host
        self._launcher = launcher
        self._lock = threading.Lock()
        self._probed: dict[str, tuple[Rung | None, Usable | Unusable, float]] = {}

    def fork(self, min_isolation: str | None) -> PythonFork:
        """Python's fork on the cheapest usable rung from `min_isolation` up.

        Raises:
            SandboxUnavailable: none is usable; the message is the ladder with what is missing.
        """
        least = min_isolation or _DEFAULT
        missing = []
        for name in LADDER[LADDER.index(least) :]:
            rung, verdict = self.probe(name)
            if rung is not None and isinstance(verdict, Usable):
                ability = rung.ability(PythonFork)  # type: ignore[type-abstract]
                return ability or OneShotFork(rung)
            if isinstance(verdict, Unusable):
                missing.append(f"  {name}: {verdict.reason}; {verdict.mend}")
        asked = f"minIsolation is {least}" if min_isolation else f"code runs on {least} or better"
        raise SandboxUnavailable("\n".join([f"{asked}, and no such rung is usable:", *missing]))

    def probe(self, name: str) -> tuple[Rung | None, Usable | Unusable]:
        """A rung by name with its verdict; None for a rung that no installed pack offers."""
        with self._lock:
            held = self._probed.get(name)
            if held is None or (isinstance(held[1], Unusable) and time.monotonic() > held[2]):
                held = (*self._try(name), time.monotonic() + _RETRY_S)
                self._probed[name] = held
            return held[0], held[1]

    def close(self) -> None:
        """Lets rungs end what they keep standing."""
        for rung, _, _ in self._probed.values():
            ending = getattr(rung, "close", None)
            if ending is not None:
                ending()

    def _try(self, name: str) -> tuple[Rung | None, Usable | Unusable]:
        try:
            found = self._host.find("rung", name)
        except PluginError:
            return None, Unusable("no installed distribution offers it", _offered_by(name))
        try:
            make = found.load()
            rung: Rung = make(self._launcher)  # type: ignore[operator]
            return rung, rung.probe()
        except Exception as error:  # noqa: BLE001 - the boundary to a stranger's rung
            return None, Unusable(f"{type(error).__name__}: {error}", f"see {found.distribution}")


def _offered_by(name: str) -> str:
    if name in LADDER:
        return "pip install evalsi-sandbox"
    return "install a pack that offers it; `evalsi plugins` lists those that are there"


def tools_for(
    needs: Collection[Need], min_isolation: str | None, deadline_s: float | None = None
) -> Tools:
    """The tools that an evaluator asked for; they find this process's engine when used."""
    sandbox = _EngineSandbox(min_isolation, deadline_s) if Need.SANDBOX in needs else None
    workers = _EngineWorkers() if Need.WORKERS in needs else None
    return Tools(sandbox, workers, deadline_s)


class _EngineSandbox:
    def __init__(self, min_isolation: str | None, deadline_s: float | None) -> None:
        self._min_isolation = min_isolation
        self._deadline_s = deadline_s

    def python(self) -> PythonFork:
        from evalsi.core.engine import current_engine

        return _LeasedFork(current_engine().ladder.fork(self._min_isolation))

    def remaining_s(self) -> float | None:
        lease = present_lease()
        return self._deadline_s if lease is None else lease.remaining_s()


class _EngineWorkers:
    def map(
        self,
        function: str,
        payloads: Sequence[JSON],
        *,
        deadline_s: float,
        memory_mb: int = 1024,
        warm_up: str = "",
    ) -> list[WorkerAnswer]:
        from evalsi.core.engine import current_engine

        lease = present_lease()
        left_s = None if lease is None else lease.remaining_s()
        left_s = math.inf if left_s is None else left_s
        calls = current_engine().function_calls(function, warm_up, memory_mb, deadline_s, left_s)
        if lease is None:
            return calls.answers(payloads)
        lease.take(calls)
        try:
            return calls.answers(payloads)
        finally:
            lease.give_back(calls)


class _LeasedFork:
    def __init__(self, fork: PythonFork) -> None:
        self._fork = fork
        self.rung = fork.rung

    def load(self, program: Program) -> Loaded:
        loaded = self._fork.load(program)
        lease = present_lease()
        if lease is None:
            return loaded
        lease.take(loaded)
        return _LeasedProgram(loaded, lease)


class _LeasedProgram:
    def __init__(self, loaded: Loaded, lease: Lease) -> None:
        self._loaded = loaded
        self._lease = lease

    @property
    def enforced(self) -> Mapping[str, str]:
        return self._loaded.enforced

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        return self._loaded.case(stdin, limits, wire=wire, ahead=ahead)

    def kill(self) -> None:
        self._loaded.kill()

    def close(self) -> None:
        self._lease.give_back(self._loaded)
        self._loaded.close()
