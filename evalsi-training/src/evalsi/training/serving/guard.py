"""Stands between an owner and the server that it started, and lets neither outlive the other.

Run as a file, in a session of its own: it imports the standard library alone. When the owner dies,
however that happens, or asks for it by a signal, the server is asked to end, and then everything
that it started is killed, wherever that has gone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

__all__ = ["children", "main"]

_PATIENCE_S: Final = 10.0
_GRACE_S: Final = 5.0
_LOOK_S: Final = 0.05
_SET_PDEATHSIG: Final = 1
_SET_CHILD_SUBREAPER: Final = 36
_LIBC: Final = ctypes.CDLL(None)


def main(owner: int, command: list[str]) -> int:
    """Runs a command until it ends or the owner is gone.

    Args:
        owner: a pidfd of the process that must not be outlived.
        command: the server.

    Returns:
        The command's exit status; 128 and the signal's number where one ended it.
    """
    stopping, stop = os.pipe()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: os.write(stop, b"x"))
    # Orphans among the descendants become children of this process, which can end them then.
    _LIBC.prctl(_SET_CHILD_SUBREAPER, 1)
    server = subprocess.Popen(command, start_new_session=True, preexec_fn=_die_with_guard)  # noqa: PLW1509 - there is one thread
    ended = os.pidfd_open(server.pid)
    poll = select.poll()
    for fd in (owner, ended, stopping):
        poll.register(fd, select.POLLIN)
    if ended not in {fd for fd, _ in poll.poll()}:
        server.terminate()  # it alone: vLLM loses track of its shared memory if its parts end first
        select.select([ended], [], [], _PATIENCE_S)
    _await_others(server)
    _kill_group(server)
    status = server.wait()
    _kill_descendants()
    return status if status >= 0 else 128 - status


def _die_with_guard() -> None:
    _LIBC.prctl(_SET_PDEATHSIG, signal.SIGKILL)


def _await_others(server: subprocess.Popen[bytes]) -> None:
    """Until they have ended too, in time: Python's tracker of shared memory clears up last."""
    deadline = time.monotonic() + _GRACE_S
    while others := [pid for pid in children(os.getpid()) if pid != server.pid]:
        if time.monotonic() > deadline:
            return
        for other in others:
            os.waitpid(other, os.WNOHANG)
        time.sleep(_LOOK_S)


def _kill_group(server: subprocess.Popen[bytes]) -> None:
    """Its whole group, which has its number until somebody has waited for it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)


def _kill_descendants() -> None:
    """Until none is left: what loses its parent by this becomes a child, and is next."""
    while left := children(os.getpid()):
        for child in left:
            os.kill(child, signal.SIGKILL)
        os.waitpid(-1, 0)


def children(of: int) -> list[int]:
    """The processes whose parent is this one, those that nobody has waited for among them."""
    found: list[int] = []
    own = Path("/proc/self")
    if not own.is_symlink() or own.readlink().name != str(os.getpid()):
        return found  # it is another namespace's, whose numbers mean other processes
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            parent = place.read_text("utf-8", "replace").rpartition(")")[2].split()[1]
            if int(parent) == of:
                found.append(int(place.parent.name))
    return found


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
