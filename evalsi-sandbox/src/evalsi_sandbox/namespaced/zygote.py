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
import io
import marshal
import os
import resource
import sys
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIG_IGN,
    SIGCHLD,
    SIGINT,
    SIGKILL,
    signal,
)
from _socket import socket, socketpair

from evalsi_sandbox.namespaced.zygote_case import DUMPABLE, Holder, confine, read_input
from evalsi_sandbox.namespaced.zygote_life import Life
from evalsi_sandbox.namespaced.zygote_memory import enlarge, fold
from evalsi_sandbox.namespaced.zygote_processor import roam, stay
from evalsi_sandbox.namespaced.zygote_rooms import (
    LIBC,
    MAIN,
    ROOMS,
    inhabit,
    raise_loopback,
    settle,
    syscall,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WARM = "builtins collections.abc functools itertools math operator warnings".split()  # noqa: SIM905
if sys.version_info >= (3, 13):  # which shows a program's error by them
    WARM += ["linecache", "traceback"]

NEW = 0x1000_0000 | 0x2000_0000 | 0x0002_0000  # CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS
NEW_NET = 0x4000_0000
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
NO_NEW_PRIVS = 38
REHEARSAL = b"n = int(input())\nprint(n * 2)\n"
REHEARSALS = 20


def main() -> Life:
    """Serves requests until the opener goes away; returns in a case alone."""
    control = socket(fileno=int(sys.argv[1]))
    os.set_inheritable(control.fileno(), False)
    signal(SIGINT, SIG_IGN)  # with a handler it would reach a first process
    signal(SIGCHLD, SIG_IGN)  # holders are reaped by the kernel
    LIBC.prctl(NO_NEW_PRIVS, 1, 0, 0, 0)
    LIBC.prctl(DUMPABLE, 0, 0, 0, 0)
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
    gc.disable()
    gc.collect()
    gc.freeze()
    LIBC.malloc_trim(0)
    control.send(b"ready")
    holder = 0
    while True:
        word, extra, _, _ = control.recvmsg(1, 64)
        fds = descriptors(extra)
        if holder:
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
            return hold(socket(fileno=fds[0]), user, bool(network))
        roam()
        os.close(fds[0])
        control.send(b"%d" % holder)


def as_a_file() -> None:
    """What a program sees of how it was started: by its file, with pipes as standard streams."""
    sys.orig_argv[:] = [*sys.orig_argv[: sys.orig_argv.index("-c")], MAIN]
    sys.argv[:] = [MAIN]
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    read_input()
    os.dup2(writing, 1)
    os.dup2(writing, 2)
    os.close(reading)
    os.close(writing)
    for fd, name, errors in ((1, "stdout", "surrogateescape"), (2, "stderr", "backslashreplace")):
        raw = io.FileIO(fd, "wb", closefd=False)
        raw.name = f"<{name}>"
        stream = io.TextIOWrapper(
            io.BufferedWriter(raw), "utf-8", errors, newline="\n", line_buffering=name == "stderr"
        )
        stream.mode = "w"  # type: ignore[misc]
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def rehearse() -> None:
    """Does what holders and cases do, until the interpreter has fitted its code to it.

    What it would write into its own code in every fork it has then written here, once.
    """
    setup = {"source": REHEARSAL, "before": "", "rooms": {}}
    request: dict[str, Any] = {"wall_s": 1.0, "together_s": 0.0}
    request["first_to_die"] = request["seeks"] = False
    request["rlimits"] = [(number, *resource.getrlimit(number)) for number in range(4)]
    frame = marshal.dumps(request)
    ours, wire = socketpair()
    signal(SIGCHLD, SIG_DFL)
    seen, main, standard = os.pipe(), sys.modules["__main__"], sys.stdin
    os.dup2(seen[1], 1)
    for _ in range(REHEARSALS):
        holder = Holder({next(iter(ROOMS)): 1})
        holder.take(setup, wire)
        ours.sendall(len(frame).to_bytes(4, "big") + frame)
        limits = marshal.loads(received(wire)[0])  # noqa: S302 - our own
        if holder.case(limits, [os.open("/dev/null", os.O_RDWR) for _ in range(3)]) is not None:
            os._exit(0)
        ours.recv(256)
        holder.limit(limits)
        reading, writing = os.pipe()
        os.write(writing, b"3\n")
        read_input(reading)
        exec(*holder.life.begin())  # noqa: S102 - our own
        holder.life.leave()
        for fd in (holder.net, reading, writing):
            os.close(fd)
    LIBC.prctl(DUMPABLE, 0, 0, 0, 0)
    sys.stdin = sys.__stdin__ = standard  # type: ignore[misc, assignment]
    sys.modules["__main__"] = main
    signal(SIGCHLD, SIG_IGN)
    signal(SIGINT, SIG_IGN)
    for fd in seen:
        os.close(fd)


def found(text: int) -> None:
    """Runs what all programs of this jail have in common; the opener vouches for it."""
    with os.fdopen(text, "rb") as file:
        code = compile(file.read(), "/box/base.py", "exec", dont_inherit=True)
    exec(code, {"__name__": "base"})  # noqa: S102
    fold()
    gc.collect()
    gc.freeze()


def end(holder: int) -> None:
    """Kills a holder and, with it, its PID namespace, unless it is gone; nobody waits for that."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(holder, SIGKILL)


def hold(wire: socket, user: tuple[int, int], own_network: bool) -> Life:
    """A holder's life; returns in a case alone."""
    try:
        signal(SIGCHLD, SIG_DFL)
        os.set_inheritable(wire.fileno(), False)
        LIBC.prctl(DUMPABLE, 1, 0, 0, 0)  # else its own files in /proc are closed to it
        inhabit(user)
        if own_network:
            raise_loopback()
        LIBC.prctl(DUMPABLE, 0, 0, 0, 0)
        holder = Holder(ROOMS)
        setup = marshal.loads(received(wire)[0])  # noqa: S302 - written by the opener
        settle(setup)
        holder.take(setup, wire)
        confine(setup["filter"])
        wire.sendall(b"ready")
        limits: dict[str, Any] = {}
        while True:
            payload, fds = received(wire)
            if payload:  # else they are as before
                limits = marshal.loads(payload)  # noqa: S302 - likewise
            life = holder.case(limits, fds)
            if life is not None:
                life.more = setup, payload, fds
                return life
    except EOFError:
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - told to the opener
        wire.sendall(b"broken: " + f"{type(error).__name__}: {error}".encode()[:500])
        os._exit(1)


def received(wire: socket) -> tuple[bytes, list[int]]:
    """A frame and the descriptors that came with it; EOFError when the opener is gone."""
    head, extra, _, _ = wire.recvmsg(4, 64)
    if len(head) < 4:
        head += exactly(wire, 4 - len(head))
    size = int.from_bytes(head, "big")
    return exactly(wire, size) if size else b"", descriptors(extra)


def exactly(wire: socket, size: int) -> bytes:
    """So many bytes and no more: the next frame may be there."""
    data = b""
    while len(data) < size:
        part = wire.recv(size - len(data))
        if not part:
            raise EOFError
        data = data + part if data else part
    return data


def descriptors(extra: list[Any]) -> list[int]:
    """Those in a message, as `socket.recv_fds` finds them, for fewer pages."""
    found: list[int] = []
    for part in extra:
        found += memoryview(part[2]).cast("i").tolist()
    return found
