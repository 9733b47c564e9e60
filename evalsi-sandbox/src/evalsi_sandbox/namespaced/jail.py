"""An open jail of the rung `namespaced`: a guest inside runs commands on request."""

from __future__ import annotations

import contextlib
import marshal
import re
import resource
import signal
import socket
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Outcome
from evalsi_sandbox import capture, memfile
from evalsi_sandbox.interpreter import environment, program
from evalsi_sandbox.namespaced.walls import TMP
from evalsi_sandbox.rlimits import jail_cpu_s, rlimits

if TYPE_CHECKING:
    from io import FileIO

    from evalsi.core.sandbox import Command, Limits
    from evalsi_sandbox.standing import Standing

__all__ = ["NamespacedJail", "enforced"]

_DONE: Final = re.compile(rb"done (-?\d{1,3}) (\d{1,9}\.\d{6}) (\d{1,12})")
_GUEST: Final = 1  # the guest counts among the jail's processes
_SPARE_MB: Final = 32  # for the guest and the tool, which share the cgroup with the program
_SPARE_PROCESSES: Final = 6


class NamespacedJail:
    """Runs commands in a shell that stands. A limit that ends a command by force ends the jail."""

    def __init__(self, shell: Standing, env: Mapping[str, str]) -> None:
        self._shell = shell
        self._env = {**environment(TMP), **env}
        self._lock = threading.Lock()
        self._busy = threading.Lock()
        self._killed = self._over = self._closed = False
        self.enforced: Mapping[str, str] = enforced(in_cgroup=shell.group is not None)

    def run(self, command: Command, limits: Limits) -> Outcome:
        """Runs a command; what it left running is killed before this returns."""
        with self._busy:
            if self._closed:
                raise SandboxUnavailable("this jail is closed; open another")
            if self._killed:
                return Outcome("killed", signal.SIGKILL)
            if self._over:
                raise SandboxUnavailable("this jail ended with its last command; open another")
            return self._run(command, limits)

    def kill(self) -> None:
        """Ends the jail; a command that runs returns with `killed`."""
        with self._lock:
            if not self._closed:
                self._killed = True
                self._shell.kill()

    def close(self) -> None:
        """Ends the jail and, once its command has returned, removes what belongs to it."""
        self.kill()
        with self._busy, self._lock:
            if not self._closed:
                self._closed = True
                self._shell.close()

    def _run(self, command: Command, limits: Limits) -> Outcome:
        if self._shell.group is not None:
            memory_mb = limits.memory_mb + _SPARE_MB
            self._shell.group.limit(memory_mb, limits.processes + _SPARE_PROCESSES)
        with contextlib.ExitStack() as closing:
            out, out_end = capture.pipe(closing)
            err, err_end = capture.pipe(closing)
            with self._request(command, limits) as request, memfile.stdin(command.stdin) as stdin:
                files = [request, stdin, out_end, err_end]
                together_s = 0.0 if self._spent() is not None else jail_cpu_s(limits)
                self._send(together_s, [file.fileno() for file in files], command.wire)
            out_end.close()
            err_end.close()
            watch = capture.Watch(out, err, self._shell.control.fileno(), limits, self._spent)
            if watch.until_end():
                used = self._answer()
                watch.drain()
            else:
                used = capture.Used(-9)
                self._over = True
                self._shell.kill()
            return watch.outcome(used, killed=self._killed, out_of_memory=self._ran_out())

    def _request(self, command: Command, limits: Limits) -> FileIO:
        argv = program(list(command.argv), self._shell.python)
        in_cgroup = self._shell.group is not None
        caps = rlimits(limits, processes=limits.processes + _GUEST, bounded_together=in_cgroup)
        numbers = [(getattr(resource, name), pair) for name, pair in caps.items()]
        return memfile.sealed(marshal.dumps((argv, self._env, numbers)))

    def _spent(self) -> float | None:
        """The jail's CPU time where a group counts it; else the guest does."""
        return None if self._shell.group is None else self._shell.group.cpu_s()

    def _send(self, together_s: float, descriptors: list[int], wire: socket.socket | None) -> None:
        if wire is not None:
            descriptors = [*descriptors, wire.fileno()]
        with contextlib.suppress(BrokenPipeError):  # killed meanwhile: the watch sees the end
            socket.send_fds(self._shell.control, [b"%f" % together_s], descriptors)

    def _answer(self) -> capture.Used:
        """What the guest reports; a guest that is gone was killed, with all that it watched."""
        try:
            answer = self._shell.control.recv(128)
        except ConnectionResetError:
            answer = b""
        found = _DONE.fullmatch(answer)
        if found is None:
            self._over = True
            if answer.startswith(b"broken"):
                raise SandboxUnavailable(f"the jail cannot start a process: {answer!r}")
            self._shell.require_launcher()
            return capture.Used(-9)
        status, cpu_s, peak_kib = found.groups()
        return capture.Used(int(status), float(cpu_s), int(peak_kib) * 1024)

    def _ran_out(self) -> bool:
        return self._shell.group is not None and self._shell.group.ran_out()


def enforced(*, in_cgroup: bool) -> dict[str, str]:
    """What holds each limit of a namespaced jail."""
    return {
        "memory": "cgroup" if in_cgroup else "per-process",
        "processes": "namespace",
        "kernel memory": "cgroup" if in_cgroup else "no: bounded by numbers of objects alone",
        "cpu": "per-process, and together",
        "wall": "kill",
        "output": "kill",
        "file size": "per-file",
        "host files": "hidden",
        "network": "none",
    }
