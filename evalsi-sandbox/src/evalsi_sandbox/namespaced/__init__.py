"""The rung `namespaced`: hostile code in namespaces of its own, by bubblewrap or nsjail."""

from __future__ import annotations

import contextlib
import os
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final, TypeVar, cast

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import JailSpec, Limits, OneShotFork, Program, PythonFork, Unusable
from evalsi_sandbox import canary, cgroup, linux
from evalsi_sandbox.namespaced.bubblewrap import Bubblewrap
from evalsi_sandbox.namespaced.fork_jail import ForkJail
from evalsi_sandbox.namespaced.forks import JailForks
from evalsi_sandbox.namespaced.holder import HolderLost
from evalsi_sandbox.namespaced.jail import NamespacedJail
from evalsi_sandbox.namespaced.nsjail import Nsjail
from evalsi_sandbox.namespaced.shell import Shell
from evalsi_sandbox.namespaced.walls import described

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalsi.core.sandbox import Jail, Launcher, Usable
    from evalsi_sandbox.namespaced.walls import Tool

__all__ = ["NamespacedRung"]

A = TypeVar("A")
J = TypeVar("J")
_CHOICE: Final = "EVALSI_NAMESPACED_LAUNCHER"
_MEND: Final = f"set {_CHOICE} to the other tool (bubblewrap or nsjail)"
_MEMORY: Final = {"cgroup": "by cgroup", "per-process": "per process"}
_TOOLS: Final[dict[str, type[Tool]]] = {"bubblewrap": Bubblewrap, "nsjail": Nsjail}


class NamespacedRung:
    """Level 2 of the ladder.

    `EVALSI_NAMESPACED_LAUNCHER` picks the tool; without it the first that works is taken.
    """

    name = "namespaced"
    level = 2

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._tool: Tool | None = None
        self._lock = threading.Lock()
        self._forks: PythonFork | None = None
        self._first: Future[ForkJail] | None = None

    def probe(self) -> Usable | Unusable:
        """Runs a canary that tries to get out; a jail that forks Python warms up meanwhile."""
        if self._first is None and self._forks is None:
            self._first = _begun(self._fork_jail)
        found = canary.probe(self, canary.NAMESPACED, self._described, _MEND)
        if isinstance(found, Unusable):
            self._close_first()
        return found

    def open(self, jail: JailSpec) -> NamespacedJail:
        """Opens a jail; its guest has answered once this returns."""
        linux.require(self.name)
        cgroup.sweep()
        return self._by_tool(lambda tool: NamespacedJail(self._shell(tool, jail), jail.env))

    def ability(self, kind: type[A]) -> A | None:
        """`PythonFork` by standing jails, and by one jail a case where those are refused."""
        if kind is not PythonFork:
            return None
        with self._lock:
            if self._forks is None:
                self._forks = self._found_forks()
        return cast("A", self._forks)

    def close(self) -> None:
        """Closes the jails that stand idle."""
        self._close_first()
        if isinstance(self._forks, JailForks):
            self._forks.close()

    def _found_forks(self) -> PythonFork:
        begun, self._first = self._first or _begun(self._fork_jail), None
        try:
            first: ForkJail | None = begun.result()
        except SandboxUnavailable:
            first = None
        reference = OneShotFork(self, f"{self.name}/{self.tool}")
        if first is None:
            return reference
        forks = JailForks(self._fork_jail, reference, first=first)
        try:
            jail = forks.lease()
            try:
                jail.load(Program(""))
                if not jail.case(b"", Limits()).clean:
                    raise HolderLost("an empty program does not end well")
            except HolderLost:
                forks.drop(jail)
                raise
        except (SandboxUnavailable, HolderLost):
            return reference
        forks.give_back(jail)
        return forks

    def _close_first(self) -> None:
        begun, self._first = self._first, None
        if begun is not None:
            with contextlib.suppress(SandboxUnavailable):
                begun.result().close()

    def _fork_jail(self) -> ForkJail:
        linux.require(self.name)
        cgroup.sweep()
        return self._by_tool(lambda tool: ForkJail(self._shell(tool, JailSpec(), forks=True)))

    @property
    def tool(self) -> str:
        """The tool that builds the jails: known once one has been opened."""
        return self._tool.name if self._tool is not None else next(_chosen()).name

    def _by_tool(self, make: Callable[[Tool], J]) -> J:
        """What `make` makes with the tool that serves; the first that does is kept."""
        if self._tool is not None:
            return make(self._tool)
        failures = []
        for tool in _chosen():
            try:
                made = make(tool)
            except SandboxUnavailable as error:
                failures.append(error)
            else:
                self._tool = tool
                return made
        raise SandboxUnavailable("; ".join(map(str, failures))) from failures[0]

    def _shell(self, tool: Tool, spec: JailSpec, *, forks: bool = False) -> Shell:
        return Shell(self._launcher, tool, spec, forks=forks)

    def _described(self, jail: Jail) -> str:
        assert self._tool is not None
        return f"{described(self._tool)}, memory {_MEMORY[jail.enforced['memory']]}"


def _begun(make: Callable[[], J]) -> Future[J]:
    """What `make` will have made, in a thread of its own."""
    made: Future[J] = Future()

    def run() -> None:
        try:
            made.set_result(make())
        except BaseException as error:  # noqa: BLE001 - raised where it is asked for
            made.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return made


def _chosen() -> Iterator[Tool]:
    name = os.environ.get(_CHOICE)
    if not name:
        yield from (make() for make in _TOOLS.values())
    elif name in _TOOLS:
        yield _TOOLS[name]()
    else:
        known = ", ".join(_TOOLS)
        raise SandboxUnavailable(f"{_CHOICE} is {name!r}; known: {known}; mend: unset {_CHOICE}")
