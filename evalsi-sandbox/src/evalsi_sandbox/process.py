"""The rung `process`: limits and a folder of its own, for code that is careless, not hostile.

It holds back what a mistake does: endless loops, too much memory, files that fill the disk. It
sees the host's files and network.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeVar

from evalsi.core.errors import EngineError, SandboxUnavailable
from evalsi.core.sandbox import Launch
from evalsi_sandbox import box, canary, capture, cgroup, lease, linux, memfile, passage
from evalsi_sandbox.interpreter import Interpreter, environment, program
from evalsi_sandbox.rlimits import NICE, NOBODY, rlimits, tasks_of

if TYPE_CHECKING:
    from evalsi.core.sandbox import (
        Command,
        Finished,
        Jail,
        JailSpec,
        Launcher,
        Limits,
        Outcome,
        Process,
        Unusable,
        Usable,
    )

__all__ = ["ProcessJail", "ProcessRung"]

A = TypeVar("A")
_BOX: Final = "/box/"
_MEND: Final = "run as an ordinary user, or put Python where every user may read it (/opt)"


class ProcessRung:
    """Level 0 of the ladder."""

    name = "process"
    level = 0

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def probe(self) -> Usable | Unusable:
        """Runs a canary that tries what this rung promises to hold, and no more."""
        return canary.probe(self, canary.PROCESS, _described, _MEND)

    def open(self, jail: JailSpec) -> ProcessJail:
        """Makes the jail's folder."""
        linux.require(self.name)
        cgroup.sweep()
        try:
            return ProcessJail(self._launcher, jail)
        except OSError as error:
            raise SandboxUnavailable(f"cannot make a folder for a jail: {error}") from error

    def ability(self, kind: type[A]) -> A | None:  # noqa: ARG002 - the contract's signature
        """Nothing beyond `open` and `run`."""
        return None


class ProcessJail:
    """A private folder in which commands run, one at a time."""

    def __init__(self, launcher: Launcher, spec: JailSpec) -> None:
        self._launcher = launcher
        self._python = Interpreter.ours()
        self._uid = self._user()
        self._passage: passage.Passage | None = None
        self._lock = threading.Lock()
        self._busy = threading.Lock()
        self._running: Process | None = None
        self._killed = self._closed = False
        self._held = lease.hold()
        self._tmp, self._box = self._held.path / "tmp", self._held.path / "box"
        self._group: cgroup.Cgroup | None = None
        try:
            self._group = cgroup.make(self._held)
            self._tmp.mkdir(mode=0o700)
            if self._uid is not None:
                os.chown(self._tmp, self._uid, self._uid)
            box.fill(self._box, spec.files)
        except BaseException:
            self._release()
            raise
        tmp = str(self._tmp)
        self._env = {**environment(tmp), "TMPDIR": tmp, **spec.env}
        self.enforced: Mapping[str, str] = self._enforces()

    def run(self, command: Command, limits: Limits) -> Outcome:
        """Runs a command; arguments below `/box` are led to where the files are."""
        with self._busy, contextlib.ExitStack() as closing:
            if self._closed:
                raise SandboxUnavailable("this jail is closed; open another")
            out, out_end = capture.pipe(closing)
            err, err_end = capture.pipe(closing)
            stdin = closing.enter_context(memfile.stdin(command.stdin))
            fds = {0: stdin.fileno(), 1: out_end.fileno(), 2: err_end.fileno()}
            if command.wire is not None:
                fds[3] = command.wire.fileno()
            launch = self._prepared(self._request(command, limits, fds), closing)
            process = self._launch(launch)
            closing.callback(self._let_go, process)
            out_end.close()
            err_end.close()
            spent = None if self._group is None else self._group.cpu_s
            watch = capture.Watch(out, err, process.fileno(), limits, spent)
            watch.until_end()
            process.kill()  # what the command has left running would hold the pipes
            watch.drain()
            return self._outcome(watch, self._finished(process))

    def kill(self) -> None:
        """Ends whatever runs, and every later command as it starts."""
        with self._lock:
            self._killed = True
            if self._running is not None:
                self._running.kill()

    def close(self) -> None:
        """Ends what runs and, once it has returned, removes the folder."""
        self.kill()
        with self._busy, self._lock:
            if not self._closed:
                self._closed = True
                self._release()

    def _release(self) -> None:
        if self._group is None or self._group.remove():
            self._held.release()
        else:
            self._held.leave()

    def _request(self, command: Command, limits: Limits, fds: dict[int, int]) -> Launch:
        return Launch(
            program([self._led(part) for part in command.argv], self._python),
            env=self._env,
            cwd=str(self._tmp),
            limits=self._rlimits(limits),
            uid=self._uid,
            fds=fds,
            enter=() if self._group is None else self._group.folders,
            nice=NICE,
            no_new_privs=True,
        )

    def _user(self) -> int | None:
        """Whom a command runs as: never as root."""
        return NOBODY if os.geteuid() == 0 else None

    def _prepared(self, launch: Launch, closing: contextlib.ExitStack) -> Launch:
        """What really starts: a guest before the program where nobody could not reach it."""
        needed = [self._python.prefix, self._tmp, self._box]
        if launch.uid is None or not passage.closed(needed):
            return launch
        self._passage = passage.Passage(launch, self._python, needed, closing)
        return self._passage.launch

    def _launch(self, launch: Launch) -> Process:
        with self._lock:
            try:
                process = self._launcher.launch(launch)
            except (EngineError, OSError) as error:
                raise SandboxUnavailable(f"cannot start {launch.argv[0]}: {error}") from error
            self._running = process
            if self._killed:
                process.kill()
        return process

    def _let_go(self, process: Process) -> None:
        with self._lock:
            self._running = None
            process.close()

    def _led(self, argument: str) -> str:
        inside = argument.startswith(_BOX)
        return str(self._box / argument.removeprefix(_BOX)) if inside else argument

    def _rlimits(self, limits: Limits) -> dict[str, tuple[int, int]]:
        if self._group is not None:
            self._group.limit(limits.memory_mb, limits.processes)
            return rlimits(limits, processes=None, bounded_together=True)
        uid = os.geteuid() if self._uid is None else self._uid
        processes = tasks_of(uid) + limits.processes
        return rlimits(limits, processes=processes, bounded_together=False)

    def _finished(self, process: Process) -> Finished:
        try:
            finished = process.wait()
        except (EngineError, OSError) as error:
            raise SandboxUnavailable(f"the command did not start: {error}") from error
        assert finished is not None
        return finished

    def _outcome(self, watch: capture.Watch, finished: Finished) -> Outcome:
        used = capture.Used(finished.status, finished.cpu_s, finished.peak_bytes)
        outcome = watch.outcome(
            used,
            killed=self._killed,
            out_of_memory=self._group is not None and self._group.ran_out(),
        )
        trouble = None if self._passage is None else self._passage.trouble()
        if trouble is not None and outcome.ended not in {"killed", "wall", "output"}:
            raise SandboxUnavailable(f"{trouble}; mend: {_MEND}")
        return outcome

    def _enforces(self) -> dict[str, str]:
        root = os.geteuid() == 0 and self._uid is None
        processes = "no: runs as root" if root else "per-user"
        in_cgroup = self._group is not None
        return {
            "memory": "cgroup" if in_cgroup else "per-process",
            "processes": "cgroup" if in_cgroup else processes,
            "kernel memory": "cgroup" if in_cgroup else "no",
            "cpu": "per-process, and together" if in_cgroup else "per-process",
            "wall": "kill",
            "output": "kill",
            "file size": "per-file",
            "host files": "no: visible",
            "network": "no: open",
        }


def _described(jail: Jail) -> str:
    user = "nobody" if os.geteuid() == 0 else "the opener's user"
    return f"limits on {user}; memory: {jail.enforced['memory']}"
