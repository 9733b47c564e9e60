"""The first process of a jail that forks Python: warmed, and with nothing of any program in it.

A request hands it the socket of one program. It clones a *holder* into user, PID and mount
namespaces of its own, with its own `/proc`, `/tmp`, `/dev/shm` and `/box`; the holder reads the
program from that socket, compiles it once, drops every capability, takes the system call filter,
and forks a *case* for each request. The case takes its limits and runs the program as `__main__`.
What a case left running has ended before the next one begins; where it left files or connections,
the next one has a new holder.

This file and its parts, `zygote_*.py`, run in the jail's interpreter after `zygote_start.py`.
Holder and case share a user, so the holder is undumpable; as first process of its PID namespace it
takes no signal from inside.

A fork's price is the pages that it touches, and the mappings that it copies. Holder and case are
forked past Python's own fork hooks, which touch two hundred pages: they mend locks, and here no
second thread can hold one.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import marshal
import os
import sys
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIG_IGN,
    SIGCHLD,
    SIGKILL,
    signal,
)
from _socket import socket

from evalsi_sandbox.namespaced.zygote_calls import CLONE, DUMPABLE, LIBC, PRCTL, syscall
from evalsi_sandbox.namespaced.zygote_case import LINE, NET, Holder
from evalsi_sandbox.namespaced.zygote_life import ignore_interrupts
from evalsi_sandbox.namespaced.zygote_line import broken, received
from evalsi_sandbox.namespaced.zygote_memory import enlarge, fold
from evalsi_sandbox.namespaced.zygote_processor import roam, stay
from evalsi_sandbox.namespaced.zygote_rehearsal import as_a_file, rehearse
from evalsi_sandbox.namespaced.zygote_rooms import (
    ROOMS,
    inhabit,
    raise_loopback,
    settle,
    watch_network,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WARM = "builtins collections.abc functools itertools math operator warnings".split()  # noqa: SIM905
if sys.version_info >= (3, 13):  # which shows a program's error by them
    WARM += ["linecache", "traceback"]

NEW = 0x1000_0000 | 0x2000_0000 | 0x0002_0000  # CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS
NEW_NET = 0x4000_0000
NO_NEW_PRIVS = 38


def main(lines: bytes) -> Holder:
    """Serves requests until the opener goes away; returns in a holder alone.

    Args:
        lines: the system call filter.
    """
    control = int(sys.argv[1])
    os.set_inheritable(control, False)
    ignore_interrupts()
    signal(SIGCHLD, SIG_IGN)  # holders are reaped by the kernel
    syscall(PRCTL, NO_NEW_PRIVS, 1, 0, 0, 0)
    syscall(PRCTL, DUMPABLE, 0, 0, 0, 0)
    for name in WARM:
        importlib.import_module(name)
    for name in [name for name in sys.modules if name.startswith("evalsi")]:
        del sys.modules[name]  # a program has no use for our parts
    words = os.dup(2)
    try:
        as_a_file()
        for name in ("PWD", "LD_BIND_NOW"):  # a tool's, and ours
            os.environ.pop(name, None)
        rehearse()
    except Exception as error:  # noqa: BLE001 - the opener shows a jail's last words
        os.write(words, f"{type(error).__name__}: {error}".encode())
        os._exit(1)
    os.close(words)
    enlarge()
    fold()
    user = os.getuid(), os.getgid()
    holder = Holder(lines)
    gc.disable()
    gc.collect()
    gc.freeze()
    LIBC.malloc_trim(0)
    hold(holder, user, *requested(socket(fileno=control)))
    return holder


def requested(control: socket) -> tuple[int, bool]:
    """Makes the holders that the opener asks for; returns in a holder alone.

    What it returns is the holder's line to the opener, and whether it has a network of its own.
    """
    control.send(b"ready")
    holder = 0
    while True:
        word, extra, _, _ = control.recvmsg(1, 64)
        fds = descriptors(extra)
        if holder > 0:
            end(holder)  # has no namespace in common with the next
            holder = 0
        if word == b"b" and len(fds) == 1:
            found(fds[0])
            control.send(b"1")
            continue
        if word not in (b"p", b"n") or len(fds) != 1:
            os._exit(0)
        network = NEW_NET if word == b"n" else 0
        stay()
        holder = syscall(CLONE, NEW | network | SIGCHLD, 0, 0, 0, 0)
        if holder == 0:
            control.close()
            return fds[0], bool(network)
        roam()
        os.close(fds[0])  # the end of its line, where there is no holder


def found(text: int) -> None:
    """Runs what all programs of this jail have in common; the opener vouches for it."""
    with os.fdopen(text, "rb") as file:
        code = compile(file.read(), "/box/base.py", "exec", dont_inherit=True)
    exec(code, {"__name__": "base"})  # noqa: S102
    fold()
    gc.collect()
    gc.freeze()
    LIBC.malloc_trim(0)  # else each fork puts its rags together


def end(holder: int) -> None:
    """Kills a holder and, with it, its PID namespace, unless it is gone; nobody waits for that."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(holder, SIGKILL)


def hold(holder: Holder, user: tuple[int, int], wire: int, own_network: bool) -> None:
    """Makes a holder ready for its cases."""
    try:
        signal(SIGCHLD, SIG_DFL)
        os.dup2(wire, LINE, inheritable=False)
        os.closerange(0, LINE)
        syscall(PRCTL, DUMPABLE, 1, 0, 0, 0)  # else its own files in /proc are closed to it
        inhabit(user)
        if own_network:
            raise_loopback()
        watch_network(NET)
        syscall(PRCTL, DUMPABLE, 0, 0, 0, 0)
        holder.look(ROOMS)
        setup = marshal.loads(received(LINE)[0])  # noqa: S302 - written by the opener
        settle(setup)
        holder.take(setup)
        holder.confine()
    except EOFError:
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - told to the opener
        broken(LINE, error)


def descriptors(extra: list[Any]) -> list[int]:
    """Those in a message, as `socket.recv_fds` finds them, for fewer pages."""
    found: list[int] = []
    for part in extra:
        found += memoryview(part[2]).cast("i").tolist()
    return found
