"""`PythonFork` from standing jails: leased a program, recycled by count, by age, at any oddity.

What a fast jail cannot tell, a fresh one decides: when a holder is lost, the case runs again in a
jail of its own, and what happens there is the outcome. So no program can turn its own death into
an error of the sandbox.
"""

from __future__ import annotations

import functools
import os
import re
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Limits, Loaded, OneShotFork, Outcome, Program
from evalsi_sandbox.interpreter import environment
from evalsi_sandbox.namespaced.fork_jail import ForkJail
from evalsi_sandbox.namespaced.holder import HolderLost
from evalsi_sandbox.namespaced.jail import enforced
from evalsi_sandbox.namespaced.modules import base_of
from evalsi_sandbox.namespaced.walls import TMP

if TYPE_CHECKING:
    import socket

__all__ = ["JailForks"]

_PROGRAMS: Final = 1000
_AGE_S: Final = 900.0
_MOST: Final = max(16, 8 * (os.cpu_count() or 1))  # an assert has two, of a kind each
_PATIENCE_S: Final = 30.0
_READ_AT_START: Final = ("GLIBC_", "LANG", "LC_", "LD_", "MALLOC_", "PYTHON", "TZ")
_CODED: Final = re.compile(r"(?:.*\n)?[ \t\f]*#.*?coding[:=]")
_POOLS: Final[weakref.WeakSet[JailForks]] = weakref.WeakSet()


class JailForks:
    """The pool of standing jails. Safe from many threads; a forked child has none of its parent's.

    Callers are served in the order in which they came. None waits while there are fewer than
    `most` jails. Past that a caller waits for another's; one whose thread has a jail already, and
    may need two at once, gets one beyond.

    Args:
        make: opens a jail; raises `SandboxUnavailable`.
        reference: one jail a case, which decides what a standing jail cannot tell.
        first: a jail that is open already.
        most: jails that stay open.
    """

    def __init__(
        self,
        make: Callable[[], ForkJail],
        reference: OneShotFork,
        *,
        first: ForkJail | None = None,
        most: int = _MOST,
    ) -> None:
        self._make = make
        self._reference = reference
        self._most = most
        self.rung = reference.rung
        self._begin()
        if first is not None:
            self._known.add(first)
            self._idle.append(first)
            self._total = 1
        _forget_after_forks()
        _POOLS.add(self)

    def load(self, program: Program) -> Loaded:
        """Leases a jail and has it compile the program; no clock runs yet."""
        return _Forked(self, self._reference, program)

    def lease(self, base: str = "") -> ForkJail:
        """A jail with a fresh holder in it; raises `SandboxUnavailable`, `HolderLost`."""
        jail = self._in_turn(base)
        while jail is not None:
            if _is_good(jail) and jail.base in ("", base) and _taken(jail, base):
                jail.leased_by = threading.get_ident()
                return jail
            jail.close()  # too old, or for others, or it died while it stood idle
            with self._lock:
                jail = self._fitting(base)
                self._total -= jail is not None
        try:
            jail = self._make()
        except BaseException:
            self._count_out()
            raise
        with self._lock:
            self._known.add(jail)
            jail.leased_by = threading.get_ident()
        try:
            jail.take(base)
        except HolderLost:
            self.drop(jail)
            raise
        return jail

    def give_back(self, jail: ForkJail) -> None:
        """Takes a jail back, to keep or to close; its program goes first."""
        jail.unload()
        jail.leased_by = None
        with self._lock:
            kept = not self._closed and self._total <= self._most and _is_good(jail)
            if kept:
                self._idle.append(jail)
                self._serve()
        if not kept:
            self.drop(jail)

    def drop(self, jail: ForkJail) -> None:
        """Closes a jail."""
        jail.leased_by = None
        self._count_out()
        jail.close()

    def close(self) -> None:
        """Closes the idle jails now, and the others as they are given back."""
        with self._lock:
            self._closed = True
            idle = list(self._idle)
            self._idle.clear()
        for jail in idle:
            self.drop(jail)

    def forget(self) -> None:
        """Lets go, in a forked child, of the parent's jails."""
        for jail in list(self._known):
            jail.forget()
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._idle: deque[ForkJail] = deque()
        self._waiting: deque[_Ticket] = deque()
        self._known: weakref.WeakSet[ForkJail] = weakref.WeakSet()
        self._total = 0
        self._closed = False

    def _in_turn(self, base: str) -> ForkJail | None:
        """An idle jail; or None, when the caller is to make one, which counts already."""
        ticket = _Ticket(base)
        me = threading.get_ident()
        with self._lock:
            self._waiting.append(ticket)
            self._serve()
            has_one = any(jail.leased_by == me for jail in self._known)
        if not ticket.served.wait(0 if has_one else _PATIENCE_S):
            with self._lock:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)
                    self._total += 1
        return ticket.jail

    def _serve(self) -> None:
        """Serves those who wait, first come, first served; the lock is held."""
        while self._waiting and (self._idle or self._total < self._most):
            ticket = self._waiting.popleft()
            ticket.jail = self._fitting(ticket.base)
            if ticket.jail is None and self._total < self._most:
                self._total += 1
            elif ticket.jail is None:  # one that has the base of others makes room
                ticket.jail = self._idle.popleft()
            ticket.served.set()

    def _fitting(self, base: str) -> ForkJail | None:
        """Takes out an idle jail that has the base, or else one without any; the lock is held.

        The one that was used last: the processors still have its memory.
        """
        for wanted in dict.fromkeys((base, "")):
            for jail in reversed(self._idle):
                if jail.base == wanted:
                    self._idle.remove(jail)
                    return jail
        return None

    def _count_out(self) -> None:
        with self._lock:
            self._total -= 1
            self._serve()


class _Ticket:
    """A caller that waits, and what it was given."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.served = threading.Event()
        self.jail: ForkJail | None = None


class _Forked:
    """A program in a standing jail until that one is lost; then each case in a jail of its own."""

    def __init__(self, forks: JailForks, reference: OneShotFork, program: Program) -> None:
        self._forks = forks
        self._lock = threading.Lock()
        self._slow = reference.load(program)
        self._jail: ForkJail | None = None
        self._killed = False
        self.enforced: Mapping[str, str] = {}
        if _suits(program):
            self._load(program)

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        jail = self._jail
        if jail is not None and not self._killed:
            try:
                return jail.case(stdin, limits, wire, ahead)
            except HolderLost:
                self._drop()
        if self._killed:
            return Outcome("killed", 9)
        outcome = self._slow.case(stdin, limits, wire=wire)
        self.enforced = self._slow.enforced
        return outcome

    def kill(self) -> None:
        with self._lock:  # a jail that was given back is another's
            self._killed = True
            if self._jail is not None:
                self._jail.kill()
        self._slow.kill()

    def close(self) -> None:
        jail = self._let_go()
        if jail is not None:
            self._forks.give_back(jail)
        self._slow.close()

    def _load(self, program: Program) -> None:
        try:
            self._jail = self._forks.lease(base_of(program))
            self._jail.load(program)
        except (HolderLost, SandboxUnavailable):
            self._drop()
        else:
            self.enforced = enforced(in_cgroup=self._jail.memory == "cgroup")

    def _drop(self) -> None:
        jail = self._let_go()
        if jail is not None:
            self._forks.drop(jail)

    def _let_go(self) -> ForkJail | None:
        with self._lock:
            jail, self._jail = self._jail, None
        return jail


def _taken(jail: ForkJail, base: str) -> bool:
    try:
        jail.take(base)
    except HolderLost:
        return False
    return True


def _is_good(jail: ForkJail) -> bool:
    young = jail.programs < _PROGRAMS and time.monotonic() - jail.opened < _AGE_S
    return jail.sound and young


def _suits(program: Program) -> bool:
    """Whether the warmed interpreter would read a program as a fresh one does, to the letter."""
    usual = environment(TMP)
    read = (name for name in program.jail.env if name.startswith(_READ_AT_START))
    same = all(program.jail.env[name] == usual.get(name) for name in read)
    return same and "\0" not in program.source and not _CODED.match(program.source)


@functools.cache
def _forget_after_forks() -> None:
    def forget() -> None:
        for forks in list(_POOLS):
            forks.forget()

    os.register_at_fork(after_in_child=forget)
