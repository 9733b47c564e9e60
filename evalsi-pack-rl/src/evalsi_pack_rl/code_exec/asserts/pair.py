"""A tester and a candidate in jails of their own, with a wire between them."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.code_exec.asserts import bundle

if TYPE_CHECKING:
    from evalsi.core.sandbox import Limits, Loaded, Outcome, PythonFork
    from evalsi_pack_rl.code_exec.asserts.bundle import Guest

__all__ = ["Pair"]

_GRACE_S: Final = 0.3  # for a program to leave once its test is over
_SPARE_S: Final = 1.0  # so that the candidate's own limits speak before the tester's


class Pair:
    """A tester and a candidate, each loaded once, in jails of their own.

    Args:
        fork: what runs them.
        program: the candidate's text.

    Attributes:
        tester: which of the guests tests.
    """

    def __init__(self, fork: PythonFork, program: str) -> None:
        self._fork = fork
        self._program = program or "\n"
        self._loaded: dict[Guest, Loaded] = {}
        self.tester: Guest = "tester"

    def __enter__(self) -> Pair:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of both; the next case loads them anew."""
        while self._loaded:
            self._loaded.popitem()[1].close()

    def begin(self) -> None:
        """Loads the candidate, which compiles its program while somebody reads the tests."""
        self._ready("candidate")

    def run(self, told: bytes, begun: bytes, limits: Limits) -> tuple[Outcome, Outcome]:
        """One case of each, joined by a wire; how the tester and the candidate ended."""
        tester, candidate = self._ready(self.tester), self._ready("candidate")
        longer = replace(limits, wall_s=limits.wall_s + _SPARE_S)
        ours, theirs = socket.socketpair()
        left = True
        with ours, theirs:
            running = _Case(candidate, begun, limits, theirs)
            try:
                outcome = tester.case(told, longer, wire=ours)
            finally:
                _hang_up(ours)
                left = running.ended(_GRACE_S)
                if not left:  # the next case gets a fresh one
                    candidate.kill()
                    running.ended(None)
                    self._loaded.pop("candidate").close()
        ended = running.outcome()
        # One that we killed after its test has no end of its own.
        return outcome, ended if left else replace(ended, ended="exited", status=1)

    def _ready(self, which: Guest) -> Loaded:
        if which not in self._loaded:
            text = self._program if which == "candidate" else ""
            self._loaded[which] = self._fork.load(bundle.program(which, text))
        return self._loaded[which]


class _Case:
    """A candidate's case, in a thread of its own."""

    def __init__(self, loaded: Loaded, begun: bytes, limits: Limits, wire: socket.socket) -> None:
        self._outcome: Outcome | BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(loaded, begun, limits, wire))
        self._thread.daemon = True
        self._thread.start()

    def _run(self, loaded: Loaded, begun: bytes, limits: Limits, wire: socket.socket) -> None:
        try:
            self._outcome = loaded.case(begun, limits, wire=wire)
        except BaseException as error:  # noqa: BLE001 - raised in the thread that asks
            self._outcome = error
        finally:
            _hang_up(wire)  # a process that the program left behind may hold the wire

    def ended(self, timeout_s: float | None) -> bool:
        """Whether it ended within so long."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def outcome(self) -> Outcome:
        """How it ended."""
        assert self._outcome is not None
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome


def _hang_up(wire: socket.socket) -> None:
    with contextlib.suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)
