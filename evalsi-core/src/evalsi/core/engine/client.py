"""The owner's side of the keeper: starts it, asks it for processes, and holds what it started."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import Any, Final

from evalsi.core.engine.nursery import MAX_MESSAGE
from evalsi.core.errors import EngineError
from evalsi.core.sandbox import Finished, Launch

__all__ = ["Keeper", "Kept", "forget_inherited", "pair", "request"]

_BORN_WITHIN_S: Final = 30.0
_MAIN: Final = (
    "import pickle, sys; control, owner, path = sys.argv[1:]; "
    "sys.path[:] = pickle.loads(bytes.fromhex(path)); "
    "from evalsi.core.engine.keeper import main; main(int(control), int(owner))"
)
_SOCKETS: weakref.WeakSet[socket.socket] = weakref.WeakSet()


def forget_inherited() -> None:
    """Closes, in a forked child, its copies of every socket to its parent's keeper."""
    for held in list(_SOCKETS):
        held.close()


class Keeper:
    """A running keeper; `launch` makes it a `Launcher`. Safe to use from many threads."""

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise EngineError("worker processes need Linux (pidfds); use a Linux machine for them")
        with contextlib.ExitStack() as closing:
            try:
                self._control, theirs = pair()
                closing.enter_context(theirs)
                pidfd = os.pidfd_open(os.getpid())
                closing.callback(os.close, pidfd)
                self._process = _start(theirs.fileno(), pidfd)
            except OSError as error:
                raise EngineError(f"the keeper did not start: {error}") from error

    @property
    def pid(self) -> int:
        """The keeper's process number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the keeper runs."""
        return self._process.poll() is None

    def launch(self, what: Launch) -> Kept:
        """Starts a program; raises `EngineError` when the keeper is gone, `OSError` on exec."""
        numbers = list(what.fds)
        fds = [fd if isinstance(fd, int) else fd.fileno() for fd in what.fds.values()]
        message = {
            "argv": list(what.argv),
            "env": dict(what.env),
            "cwd": what.cwd,
            "limits": dict(what.limits),
            "uid": what.uid,
            "enter": list(what.enter),
            "nice": what.nice,
            "no_new_privs": what.no_new_privs,
            "fds": numbers,
        }
        return request(self._control, ("launch", message), fds)

    def template(self, what: dict[str, Any], control: socket.socket) -> Kept:
        """Starts a template that serves `control`."""
        # By file, since params may be larger than a message.
        with open(os.memfd_create("evalsi"), "w+b") as file:  # noqa: PTH123 - a descriptor
            pickle.dump(what, file)
            file.seek(0)
            return request(self._control, ("template",), [control.fileno(), file.fileno()])

    def forget(self) -> None:
        """Lets go of it in a forked child, whose child it is not."""
        self._process.returncode = 0

    def close(self) -> None:
        """Ends the keeper and with it everything that it started; returns when it has."""
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)


class Kept:
    """A process that a nursery started for us: it ends at the latest when we let go."""

    def __init__(self, status: socket.socket) -> None:
        self._status = status
        self._lock = threading.Lock()
        self._finished: Finished | None = None
        self.pid = self._born()

    def _born(self) -> int:
        message = self._message(_BORN_WITHIN_S)
        if message is not None and message[0] == "born":
            return int(message[1])
        self._status.close()
        if message is None or message[0] == "lost":
            raise EngineError("the keeper does not answer; is the machine out of processes?")
        raise OSError(message[1])

    def _message(self, timeout_s: float | None) -> tuple[Any, ...] | None:
        poll = select.poll()
        poll.register(self._status, select.POLLIN)
        if not poll.poll(None if timeout_s is None else max(0.0, timeout_s * 1000)):
            return None
        try:
            return tuple(json.loads(self._said()))
        except (OSError, ValueError):
            return ("lost",)

    def _said(self) -> bytes:
        try:
            return self._status.recv(1 << 16)
        except (
            ConnectionResetError
        ):  # it closed with our "kill" unread; what it said is still there
            return self._status.recv(1 << 16)

    def fileno(self) -> int:
        """Readable when the process has ended."""
        return self._status.fileno()

    def wait(self, timeout_s: float | None = None) -> Finished | None:
        """How it ended, or None after `timeout_s`; raises `EngineError` if the keeper died."""
        with self._lock:
            if self._finished is None:
                message = self._message(timeout_s)
                if message is None:
                    return None
                if message[0] == "failed":
                    raise OSError(message[1])
                if message[0] == "lost":
                    raise EngineError("the keeper died; its processes died with it")
                self._finished = Finished(*message[1:])
            return self._finished

    def kill(self) -> None:
        """Kills it and every descendant."""
        with contextlib.suppress(OSError):
            self._status.send(b"kill")

    def close(self) -> None:
        """Kills it if it runs, and lets go of its socket."""
        self._status.close()


def request(control: socket.socket, message: object, fds: Sequence[int]) -> Kept:
    """Asks a nursery for a child; `fds` go with the request, after the status socket."""
    ours, theirs = pair()
    data = pickle.dumps(message)
    if len(data) > MAX_MESSAGE:
        raise EngineError(f"a request of {len(data)} bytes; {MAX_MESSAGE} is the most")
    with theirs:
        try:
            socket.send_fds(control, [data], [theirs.fileno(), *fds])
        except OSError as error:
            ours.close()
            raise EngineError(f"the keeper is gone: {error}") from error
    return Kept(ours)


def pair(
    kind: socket.SocketKind = socket.SOCK_SEQPACKET,
) -> tuple[socket.socket, socket.socket]:
    """A socket pair that a forked child of the owner closes its copies of."""
    both = socket.socketpair(socket.AF_UNIX, kind)
    for one in both:
        _SOCKETS.add(one)
    return both


def _start(control: int, owner: int) -> subprocess.Popen[bytes]:
    # -P: a file in the working folder must not stand in for a module of the standard library.
    path = pickle.dumps(sys.path).hex()
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _MAIN, str(control), str(owner), path],
        pass_fds=(control, owner),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
