"""An open jail of the rung `gvisor`: a sandbox whose guest relays a program in frames."""

from __future__ import annotations

import contextlib
import marshal
import os
import re
import resource
import shutil
import signal
import socket
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.sandbox import Launch, Outcome
from evalsi_sandbox import box, capture, memfile
from evalsi_sandbox.gvisor import bundle
from evalsi_sandbox.gvisor.talk import Talk, frame
from evalsi_sandbox.interpreter import program
from evalsi_sandbox.namespaced import seccomp
from evalsi_sandbox.namespaced.jail import NamespacedJail
from evalsi_sandbox.rlimits import NICE, jail_cpu_s, rlimits
from evalsi_sandbox.standing import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalsi.core.sandbox import Command, Ended, JailSpec, Launcher, Limits

__all__ = ["MEND", "GvisorJail", "Sandbox", "executable"]

MEND: Final = "apt-get install runsc, or https://gvisor.dev/docs/user_guide/install/"
_DONE: Final = re.compile(rb"(-?\d{1,3}) (\d{1,9}\.\d{6}) (\d{1,12})")
_START_S: Final = 15.0  # a platform that cannot work here may hang instead of saying so
_OWN_MB: Final = 256  # gVisor's kernel and its file server share the group with the program
_OWN_TASKS: Final = 256


def executable() -> str:
    """Where runsc is."""
    found = shutil.which("runsc")
    if found is None:
        raise SandboxUnavailable(f"runsc is not installed; mend: {MEND}")
    return found


class Sandbox(Standing):
    """A sandbox of gVisor; its guest is ready once the constructor returns."""

    def __init__(self, launcher: Launcher, platform: str, spec: JailSpec) -> None:
        super().__init__(socket.SOCK_STREAM)
        try:
            with memfile.scratch() as words:
                home = self._held.path
                box.fill(home / "box", spec.files)
                bundle.lay_out(home / "bundle", spec, self.python, home / "box")
                self._start(launcher, self._launch(platform, words.fileno()), "runsc")
                self._await(frame(b"R", b""), _START_S, words, f"runsc on {platform}", MEND)
        except BaseException:
            self.close()
            raise

    def _launch(self, platform: str, words: int) -> Launch:
        home = self._held.path
        argv = [
            executable(),
            *("--root", str(home / "state"), "--platform", platform, "--network", "none"),
            "--ignore-cgroups",  # its jail has a group of ours
            *(["--rootless"] if os.geteuid() != 0 else []),
            *("run", "--bundle", str(home / "bundle"), home.name),
        ]
        return Launch(
            argv,
            env={"PATH": os.defpath},
            fds={0: self.inside.fileno(), 1: self.inside.fileno(), 2: words},
            enter=self.group.folders if self.group is not None else (),
            nice=NICE,
        )


class GvisorJail(NamespacedJail):
    """A namespaced jail in all but how its guest is spoken to."""

    def __init__(self, sandbox: Sandbox, env: Mapping[str, str]) -> None:
        super().__init__(sandbox, env)
        self.enforced = {**self.enforced, "processes": "sandbox", "kernel": "gVisor"}

    def _run(self, command: Command, limits: Limits) -> Outcome:
        if self._shell.group is not None:
            tasks = 4 * limits.processes + _OWN_TASKS  # a task inside is threads outside
            self._shell.group.limit(limits.memory_mb + _OWN_MB, tasks)
        with contextlib.ExitStack() as closing:
            wire = command.wire
            if wire is not None:
                wire = closing.enter_context(wire.dup())
            purse = self._purse(limits)
            talk = Talk(self._shell.control, wire, limits, purse)
            talk.until_end(self._asked(command, limits))
        used = self._used(talk)
        ended = self._ended(talk, used, limits)
        by_us = self._killed or talk.stopped is not None
        return Outcome(
            ended,
            signal.SIGKILL.value if by_us else abs(used.status),
            bytes(talk.kept[b"o"]),
            bytes(talk.kept[b"e"]),
            talk.wall_s,
            purse.spent_s if by_us and purse is not None else used.cpu_s,
            used.peak_bytes,
        )

    def _purse(self, limits: Limits) -> capture.Purse | None:
        """The whole sandbox's CPU time, gVisor's own part of it included."""
        group = self._shell.group
        before_s = None if group is None else group.cpu_s()
        if group is None or before_s is None:
            return None
        return capture.Purse(group.cpu_s, before_s, jail_cpu_s(limits))

    def _asked(self, command: Command, limits: Limits) -> bytes:
        in_cgroup = self._shell.group is not None
        caps = rlimits(limits, processes=limits.processes, bounded_together=in_cgroup)
        request = {
            "argv": program(list(command.argv), self._shell.python),
            "env": self._env,
            "limits": [(getattr(resource, name), pair) for name, pair in caps.items()],
            "stdin": command.stdin,
            "wired": command.wire is not None,
            "filter": seccomp.program(seccomp.machine()),
        }
        return marshal.dumps(request)

    def _used(self, talk: Talk) -> capture.Used:
        """What the guest reports; a guest that is gone was killed, with all that it watched."""
        if talk.stopped is None and talk.done is not None:
            kind, text = talk.done
            if kind == b"d" and (found := _DONE.fullmatch(text)) is not None:
                status, cpu_s, peak_kib = found.groups()
                return capture.Used(int(status), float(cpu_s), int(peak_kib) * 1024)
        self._over = True
        if talk.stopped is None and talk.done is None:
            self._shell.require_launcher()
            return capture.Used(-9)
        self._shell.kill()
        if talk.stopped is None:
            raise SandboxUnavailable(f"the jail cannot start a process: {talk.done!r}")
        return capture.Used(-9)

    def _ended(self, talk: Talk, used: capture.Used, limits: Limits) -> Ended:
        if self._killed:
            return "killed"
        return talk.stopped or capture.ended_by(used, limits, out_of_memory=self._ran_out())
