"""A guest that stands behind its walls: started by the launcher, held by a lease, in a group."""

from __future__ import annotations

import contextlib
import os
import select
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import EngineError, SandboxUnavailable
from evalsi_sandbox import cgroup, lease
from evalsi_sandbox.interpreter import Interpreter
from evalsi_sandbox.namespaced.mends import mend_for, shown

if TYPE_CHECKING:
    from io import FileIO

    from evalsi.core.sandbox import Launch, Launcher, Process

__all__ = ["Standing", "outage"]

_END_S: Final = 10.0


@contextlib.contextmanager
def outage() -> Iterator[None]:
    """What an opener runs out of, descriptors above all, is an outage of the sandbox."""
    try:
        yield
    except OSError as error:
        raise SandboxUnavailable(f"cannot open a jail: {error}") from error


class Standing:
    """What a jail keeps as long as it is open, and how all of it ends.

    Args:
        kind: of the control socket, whose other end the guest gets as `inside`.
    """

    def __init__(self, kind: socket.SocketKind) -> None:
        self.python = Interpreter.ours()
        self._process: Process | None = None
        with outage(), contextlib.ExitStack() as undo:
            self.control, self.inside = socket.socketpair(socket.AF_UNIX, kind)
            undo.enter_context(self.control)
            undo.enter_context(self.inside)
            self._held = lease.hold()
            undo.callback(self._held.release)
            self.group = cgroup.make(self._held)
            undo.pop_all()

    def kill(self) -> None:
        """Ends everything inside."""
        if self._process is not None:
            self._process.kill()

    def require_launcher(self) -> None:
        """Raises `SandboxUnavailable` when the jail died because what launched it did."""
        assert self._process is not None
        try:
            self._process.wait(_END_S)
        except (EngineError, OSError) as error:
            raise SandboxUnavailable(f"the jail died with its launcher: {error}") from error

    def close(self) -> None:
        """Ends everything inside and removes the jail's files and group."""
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(EngineError, OSError):
                self._process.wait(_END_S)
            self._process.close()
        self.control.close()
        self.inside.close()
        if self.group is None or self.group.remove():
            self._held.release()
        else:
            self._held.leave()

    def _start(self, launcher: Launcher, launch: Launch, tool: str) -> None:
        try:
            self._process = launcher.launch(launch)
        except (EngineError, OSError) as error:
            raise SandboxUnavailable(f"cannot start {tool}: {error}") from error
        self.inside.close()

    def _await(self, word: bytes, start_s: float, words: FileIO, tool: str, mend: str) -> None:
        """The guest speaks first: whatever ends before it has spoken is the tool's own failure."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        if poll.poll(start_s * 1000) and self.control.recv(16) == word:
            return
        assert self._process is not None
        self._process.kill()
        with contextlib.suppress(EngineError, OSError):
            self._process.wait(_END_S)
        said = shown(os.pread(words.fileno(), 1 << 16, 0))
        found = mend_for(said, mend)
        raise SandboxUnavailable(f"a jail by {tool} did not start: {said}; mend: {found}")
