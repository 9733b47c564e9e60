"""What evaluators are handed: for code, the cheapest usable rung that is strong enough.

The rung is chosen at first use and kept; when none serves, that is an error of the component,
tried again a little later, because an outage may end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import PluginError, SandboxUnavailable
from evalsi.core.evaluator import Need, Tools
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

if TYPE_CHECKING:
    import socket

    from evalsi.core.plugins import PluginHost

__all__ = ["Ladder", "Lease", "tools_for"]

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
    return Tools(sandbox, deadline_s)


class _EngineSandbox:
    def __init__(self, min_isolation: str | None, deadline_s: float | None) -> None:
        self._min_isolation = min_isolation
        self._deadline_s = deadline_s

    def python(self) -> PythonFork:
        from evalsi.core.engine import current_engine

        return _LeasedFork(current_engine().ladder.fork(self._min_isolation))

    def remaining_s(self) -> float | None:
        lease = _HELD.lease
        return self._deadline_s if lease is None else lease.remaining_s()


class _Held(threading.local):
    """The lease of the present thread's evaluation, if it has a deadline."""

    def __init__(self) -> None:
        self.lease: Lease | None = None


_HELD: Final = _Held()


class Lease:
    """The deadline of one evaluation in this thread: kills the jails that it has open.

    Args:
        deadline_s: seconds from now, or None for no deadline but the evaluator's own limits.
    """

    def __init__(self, deadline_s: float | None) -> None:
        self.deadline_s = deadline_s
        self.expired = False
        self._killed = False
        self._begun = time.monotonic()
        self._open: set[Loaded] = set()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Lease:
        _HELD.lease = self
        self._begun = time.monotonic()
        if self.deadline_s is not None:
            self._timer = threading.Timer(self.deadline_s, self._expire)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        _HELD.lease = None
        if self._timer is not None:
            self._timer.cancel()

    def remaining_s(self) -> float | None:
        """Seconds that are left, at least 0; None without a deadline."""
        if self.deadline_s is None:
            return None
        return max(0.0, self._begun + self.deadline_s - time.monotonic())

    def take(self, loaded: Loaded) -> None:
        """Puts a program under the deadline."""
        self._open.add(loaded)
        if self._killed:
            loaded.kill()

    def give_back(self, loaded: Loaded) -> None:
        """Takes a closed program from under it."""
        self._open.discard(loaded)

    def kill(self) -> None:
        """Ends what it has open, now and later, from any thread."""
        self._killed = True
        for loaded in list(self._open):
            loaded.kill()

    def _expire(self) -> None:
        self.expired = True
        self.kill()


class _LeasedFork:
    def __init__(self, fork: PythonFork) -> None:
        self._fork = fork
        self.rung = fork.rung

    def load(self, program: Program) -> Loaded:
        loaded = self._fork.load(program)
        lease = _HELD.lease
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

    def case(self, stdin: bytes, limits: Limits, *, wire: socket.socket | None = None) -> Outcome:
        return self._loaded.case(stdin, limits, wire=wire)

    def kill(self) -> None:
        self._loaded.kill()

    def close(self) -> None:
        self._lease.give_back(self._loaded)
        self._loaded.close()
