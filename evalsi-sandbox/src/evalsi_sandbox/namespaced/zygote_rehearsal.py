"""What a zygote does before it serves: looks as a program does, and rehearses what its forks do.

A part of the zygote's text: standard library only.
"""

from __future__ import annotations

import io
import marshal
import os
import resource
import struct
import sys
from _signal import SIG_DFL, SIG_IGN, SIGCHLD, signal  # type: ignore[import-not-found]
from _socket import SCM_RIGHTS, SOL_SOCKET, socket, socketpair

from evalsi_sandbox.namespaced.zygote_calls import DUMPABLE, PRCTL, syscall
from evalsi_sandbox.namespaced.zygote_case import LAST, LINE, NET, Holder, read_input
from evalsi_sandbox.namespaced.zygote_life import ignore_interrupts
from evalsi_sandbox.namespaced.zygote_line import ANSWER_SIZE
from evalsi_sandbox.namespaced.zygote_processor import stay
from evalsi_sandbox.namespaced.zygote_rooms import MAIN, ROOMS, put, watch_network

SOURCE = b"n = int(input())\nprint(n * 2)\n"
TIMES = 20


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
    main, standard = sys.modules["__main__"], sys.stdin
    kept = [os.dup(fd) for fd in range(3)]
    signal(SIGCHLD, SIG_DFL)
    ours, theirs = socketpair()
    os.dup2(theirs.fileno(), LINE)
    watch_network(NET)
    for _ in range(TIMES):
        perform(ours)
    ours.close()
    theirs.close()
    signal(SIGCHLD, SIG_IGN)
    ignore_interrupts()
    syscall(PRCTL, DUMPABLE, 0, 0, 0, 0)
    for number, fd in enumerate(kept):
        os.dup2(fd, number)
        os.close(fd)
    sys.stdin = sys.__stdin__ = standard  # type: ignore[misc, assignment]
    sys.modules["__main__"] = main


def perform(opener: socket) -> None:
    """A holder's work and a case's, in this process; one case more is forked, and ends at once."""
    put("/dev/null", b"-")
    stay()
    holder = Holder(b"")
    holder.look({next(iter(ROOMS)): 1})
    holder.take({"source": SOURCE, "before": "", "rooms": {}})
    reading, writing = os.pipe()
    seen = os.pipe()
    os.write(writing, b"3\n")
    fds = [reading, seen[1], seen[1]]
    opener.sendmsg([request()], [(SOL_SOCKET, SCM_RIGHTS, struct.pack("3i", *fds))])
    os.closerange(0, len(fds))
    if holder.next() is not None:
        os._exit(0)
    opener.recv(ANSWER_SIZE)
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
    holder.live(LAST - 1)
    holder.life.begin()
    exec(holder.life.code, holder.life.names)  # type: ignore[arg-type] # noqa: S102 - our own
    holder.life.leave()
    for fd in (*seen, reading, writing):
        os.close(fd)


def request() -> bytes:
    """What an opener asks for: limits that change none."""
    wanted = {"wall_s": 1.0, "together_s": 1.0, "first_to_die": False, "seeks": True}
    rlimits = [(number, *resource.getrlimit(number)) for number in range(4)]
    payload = marshal.dumps({**wanted, "rlimits": rlimits})
    return len(payload).to_bytes(4, sys.byteorder) + payload
