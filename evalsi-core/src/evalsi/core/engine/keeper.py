"""The keeper: one process an engine that starts everything that must not outlive its owner.

It is exec'd, single-threaded and imports the standard library and this package's small rooms
only. Its owner is watched by pidfd: a pipe's end of file would fail once a forked trainer holds
the pipe, and a parent-death signal fires when the *thread* that spawned ends.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import resource
import signal
import socket
from typing import Any

from evalsi.core.engine.nursery import (
    Nursery,
    become_reaper,
    die_with_parent,
    renounce_privileges,
)

__all__ = ["main"]


def main(control: int, owner: int) -> None:
    """Serves one owner until it closes `control` or dies."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the terminal's Ctrl-C is for the owner
    for fd in (control, owner):  # inherited by us; a launched program must not have them
        os.set_inheritable(fd, False)
    become_reaper()
    Nursery(socket.socket(fileno=control), _birth, owner).serve()


def _birth(request: Any, fds: list[int]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if request[0] == "launch":
        _launch(request[1], fds)
    from evalsi.core.engine.template import serve_template

    with open(fds.pop(), "rb") as what:  # noqa: PTH123 - a descriptor
        serve_template(pickle.load(what), fds)


def _launch(what: dict[str, Any], fds: list[int]) -> None:
    """Becomes the program; every descriptor not named in the request closes at exec."""
    keeper = os.getppid()
    for folder in what["enter"]:
        with open(f"{folder}/cgroup.procs", "w") as procs:  # noqa: PTH123
            procs.write("0")
    _place(what["fds"], fds[1:])
    if what["uid"] is not None:
        os.setgroups([])
        os.setgid(what["uid"])
        os.setuid(what["uid"])
        die_with_parent(keeper)  # the change of user cleared it
    os.nice(what["nice"])
    if what["no_new_privs"]:
        renounce_privileges()
    for name, (soft, hard) in what["limits"].items():
        _limit(getattr(resource, name), soft, hard)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and exec keeps that
        signal.signal(number, signal.SIG_DFL)
    os.chdir(what["cwd"])
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execve(what["argv"][0], what["argv"], what["env"])


def _place(numbers: list[int], fds: list[int]) -> None:
    # First out of the way, then in place: a source may sit on another's number.
    top = max([2, *numbers]) + 1
    null = os.open(os.devnull, os.O_RDWR)
    held = {number: _above(fd, top) for number, fd in zip(numbers, fds, strict=True)}
    for number in {0, 1, 2} | held.keys():
        os.dup2(held.get(number, null), number)


def _above(fd: int, low: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, low)


def _limit(number: int, soft: int, hard: int) -> None:
    ceiling = resource.getrlimit(number)[1]
    if ceiling != resource.RLIM_INFINITY and os.geteuid() != 0:
        hard = min(hard, ceiling) if hard != resource.RLIM_INFINITY else ceiling
        soft = min(soft, hard) if soft != resource.RLIM_INFINITY else hard
    resource.setrlimit(number, (soft, hard))
