"""A single-threaded parent of processes: forks on request, watches, kills with all descendants.

Both the keeper and every evaluator's template are nurseries. Requests come over one socket, each
with the descriptors that it needs; the first is the request's status socket, whose other end its
requester holds. The nursery tells the child's number there and, at the end, how it ended. When
a requester lets go of its end, or the owner dies, the child is killed.

Runs in its own process and imports the standard library only: what a pack does cannot hurt it.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import os
import pickle
import resource
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeAlias

__all__ = [
    "MAX_MESSAGE",
    "Birth",
    "Nursery",
    "become_reaper",
    "close_others",
    "die_with_parent",
    "live",
    "renounce_privileges",
]

MAX_MESSAGE: Final = 128 * 1024
"""Bytes of one request; a SOCK_SEQPACKET message must fit the socket's send buffer."""

_MAX_FDS: Final = 32
_TICK_MS: Final = 5
_SET_PDEATHSIG: Final = 1
_SET_CHILD_SUBREAPER: Final = 36
_SET_NO_NEW_PRIVS: Final = 38
_AMBIENT: Final = 47
_AMBIENT_CLEAR_ALL: Final = 4

Birth: TypeAlias = Callable[[Any, list[int]], None]
"""What a child does with its request and descriptors (the status socket first); it may return."""


def become_reaper() -> None:
    """Makes orphans among the descendants children of this process, so that it can end them."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Ends this process when its parent ends; at once when it already has.

    Sound only below a single-threaded parent: the kernel sends the signal when the *thread* that
    forked ends. A change of user clears it, so this comes after one.
    """
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def renounce_privileges() -> None:
    """Nothing that this process executes gives it a privilege again, or is handed one."""
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _prctl(_AMBIENT, _AMBIENT_CLEAR_ALL)


def close_others(keep: list[int]) -> None:
    """Closes every descriptor above standard error that is not in `keep`."""
    edges = [2, *sorted(fd for fd in keep if fd > 2), os.sysconf("SC_OPEN_MAX")]
    for low, high in itertools.pairwise(edges):
        os.closerange(low + 1, high)


def live(birth: Birth, request: Any, fds: list[int]) -> NoReturn:
    """Runs a child's life to its end; nothing of the parent's stack is ever returned to."""
    status = 1
    try:
        birth(request, fds)
        status = 0
    except BaseException as error:  # noqa: BLE001 - told to the requester, the process ends
        _tell(fds[0], ("failed", f"{type(error).__name__}: {error}"))
    finally:
        os._exit(status)


class Nursery:
    """Serves requests until its control socket or its owner is gone, then kills every child.

    Args:
        control: the socket of requests.
        birth: what a forked child does.
        owner: a pidfd of the process that must not be outlived, or None where `die_with_parent`
            keeps that promise.
    """

    def __init__(self, control: socket.socket, birth: Birth, owner: int | None = None) -> None:
        self._control = control
        self._birth = birth
        self._owner = owner
        self._poll = select.poll()
        self._children: dict[int, _Child] = {}
        self._by_fd: dict[int, _Child] = {}
        self._ending: dict[int, _Child] = {}
        self._ended: list[tuple[_Child, tuple[int, float, int]]] = []
        self._sweeping = False
        self._spared: frozenset[int] = frozenset()

    def serve(self) -> None:
        """Runs the loop; returns when there is nobody left to serve."""
        # What an evaluator's import has started belongs to the evaluator, and is no orphan.
        self._spared = frozenset(_child_pids())
        self._poll.register(self._control, select.POLLIN)
        if self._owner is not None:
            self._poll.register(self._owner, select.POLLIN)
        try:
            while self._turn():
                pass
        finally:
            self._end_all()

    def _turn(self) -> bool:
        for fd, _ in self._poll.poll(_TICK_MS if self._sweeping or self._ending else None):
            if fd == self._owner:
                return False
            if fd == self._control.fileno():
                if not self._request():
                    return False
            elif (child := self._by_fd.get(fd)) is not None:
                if fd == child.pidfd:
                    self._poll.unregister(fd)
                    self._ending[child.pid] = child
                else:
                    self._asked(child)
        self._sweep()
        return True

    def _request(self) -> bool:
        data, fds = _receive(self._control)
        if not data:
            return False
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:  # out of processes: that request fails, and no other
            _tell(fds[0], ("lost", str(error)))
            for fd in fds:
                os.close(fd)
            return True
        if pid == 0:
            die_with_parent(parent)
            os.setsid()
            self._control.close()
            live(self._birth, pickle.loads(data), fds)
        for fd in fds[1:]:
            os.close(fd)
        self._watch(_Child(pid, os.pidfd_open(pid), socket.socket(fileno=fds[0])))
        return True

    def _watch(self, child: _Child) -> None:
        self._children[child.pid] = child
        for fd in (child.pidfd, child.status.fileno()):
            self._by_fd[fd] = child
            self._poll.register(fd, select.POLLIN)
        with contextlib.suppress(OSError):  # the requester is gone: poll will say so
            child.status.send(json.dumps(("born", child.pid)).encode())

    def _asked(self, child: _Child) -> None:
        # One word is known, "kill", and an end of file means the same: the requester let go.
        word = b""
        with contextlib.suppress(OSError):  # a reset: it let go with a message unread
            word = child.status.recv(16)
        if not word:
            self._poll.unregister(child.status)
            self._by_fd.pop(child.status.fileno(), None)
        _kill(child.pid)

    def _sweep(self) -> None:
        """Reaps children that ended, and kills orphans: descendants handed to this reaper.

        Never waits: a zombie cannot be reaped while an orphan traces it, and that orphan may only
        arrive here, to be killed, once others are.
        """
        if not (self._sweeping or self._ending):
            return
        for child in list(self._ending.values()):
            # The group is killed while its leader is a zombie: its number is not reused.
            _kill(child.pid)
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                self._reaped(child, status, usage)
        ours = self._spared | self._children.keys()
        orphans = [pid for pid in _child_pids() if pid not in ours]
        for pid in orphans:
            _kill(pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        self._sweeping = bool(orphans)
        if not orphans:
            self._tell_ended()

    def _reaped(self, child: _Child, status: int, usage: resource.struct_rusage) -> None:
        with contextlib.suppress(KeyError):
            self._poll.unregister(child.status)
        self._by_fd.pop(child.pidfd, None)
        self._by_fd.pop(child.status.fileno(), None)
        del self._children[child.pid], self._ending[child.pid]
        os.close(child.pidfd)
        cpu_s, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        self._ended.append((child, (os.waitstatus_to_exitcode(status), cpu_s, peak)))
        self._sweeping = True

    def _tell_ended(self) -> None:
        """Says how children ended, once nothing that they left runs any more."""
        for child, how in self._ended:
            _tell(child.status.fileno(), ("ended", *how))
            child.status.close()
        self._ended.clear()

    def _end_all(self) -> None:
        while pids := _child_pids():
            for pid in pids:
                _kill(pid)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.002)


class _Child:
    def __init__(self, pid: int, pidfd: int, status: socket.socket) -> None:
        self.pid = pid
        self.pidfd = pidfd
        self.status = status


def _receive(control: socket.socket) -> tuple[bytes, list[int]]:
    try:
        data, fds, _, _ = socket.recv_fds(control, MAX_MESSAGE, _MAX_FDS)
    except OSError:
        return b"", []
    for fd in fds:  # recv_fds takes flags and drops them (MSG_CMSG_CLOEXEC among them)
        os.set_inheritable(fd, False)
    return data, fds


def _tell(status: int, message: tuple[object, ...]) -> None:
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(status)) as told:
        told.send(json.dumps(message).encode())


def _kill(group: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(group, signal.SIGKILL)


def _child_pids() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as children:  # noqa: PTH123 - hot
        return [int(pid) for pid in children.read().split()]


_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    _LIBC.prctl(option, value, 0, 0, 0)
