"""An open jail of the rung `confined`: the folder of `process`, and a guest before each program."""

from __future__ import annotations

import contextlib
import marshal
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import SandboxUnavailable
from evalsi_sandbox import memfile
from evalsi_sandbox.confined import calls, landlock
from evalsi_sandbox.confined.numbers import numbers
from evalsi_sandbox.interpreter import open_to_all
from evalsi_sandbox.namespaced import seccomp
from evalsi_sandbox.namespaced.walls import system
from evalsi_sandbox.process import ProcessJail

if TYPE_CHECKING:
    from evalsi.core.sandbox import Finished, JailSpec, Launch, Launcher, Outcome
    from evalsi_sandbox.capture import Watch

__all__ = ["ConfinedJail"]

_GUEST: Final = Path(__file__).with_name("guest.py")
_PLAN, _REPORT = 10, 11  # descriptors of the guest


class ConfinedJail(ProcessJail):
    """Runs commands that confine themselves before they begin."""

    def __init__(self, launcher: Launcher, spec: JailSpec, abi: int) -> None:
        self._abi = abi
        self._filters = [seccomp.program(seccomp.machine()), b""]
        self._ready = -1
        super().__init__(launcher, spec)
        own_user = self._uid is None
        self._filters[1] = calls.program(numbers(), abi, own_user=own_user)

    def _user(self) -> int | None:
        """Nobody when we are root; where nobody cannot reach Python, root with nothing of root's.

        No capability is left to it, and its files are held by Landlock.
        """
        return super()._user() if open_to_all(self._python.prefix) else None

    def _prepared(self, launch: Launch, closing: contextlib.ExitStack) -> Launch:
        """The guest's start, which reads the program's own from memory."""
        self._ready, said = os.pipe()
        closing.callback(os.close, self._ready)
        closing.callback(os.close, said)
        plan = closing.enter_context(memfile.sealed(marshal.dumps(self._plan(launch))))
        argv = [str(self._python.executable), "-I", "-S", "-c", _GUEST.read_text()]
        return replace(
            launch,
            argv=[*argv, str(_PLAN), str(_REPORT)],
            env={},
            uid=None,
            fds={**launch.fds, _PLAN: plan.fileno(), _REPORT: said},
        )

    def _plan(self, launch: Launch) -> dict[str, object]:
        paths = [*(bind.path for bind in system()), self._python.prefix]
        return {
            "argv": list(launch.argv),
            "env": dict(launch.env),
            "uid": launch.uid,
            "handled": (landlock.attributes(self._abi), landlock.FILES_ONLY),
            "rules": landlock.rules(self._abi, system=paths, box=self._box, tmp=self._tmp),
            "filters": self._filters,
            "itself": calls.ITSELF,
        }

    def _outcome(self, watch: Watch, finished: Finished) -> Outcome:
        outcome = super()._outcome(watch, finished)
        if outcome.ended in {"exited", "signalled", "memory", "cpu"} and not self._was_ready():
            words = outcome.stderr.decode("utf-8", "replace").strip()[-300:]
            raise SandboxUnavailable(f"a confined program did not begin: {words}")
        return outcome

    def _was_ready(self) -> bool:
        """Whether the guest was through; its end of the pipe closed with it."""
        os.set_blocking(self._ready, False)
        with contextlib.suppress(BlockingIOError):
            return os.read(self._ready, 16) == b"ready"
        return False

    def _enforces(self) -> dict[str, str]:
        told = super()._enforces()
        return {
            **told,
            "tmp size": "no: per file",
            "host files": "contents hidden; names and sizes can be probed",
            "host processes": "no list; numbers can be probed",
            "network": "none: no sockets",
        }
