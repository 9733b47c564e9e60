"""The first process of a gVisor sandbox: runs programs as nobody and relays all that they say.

A sandbox is given no descriptor but the standard three, so everything travels in frames over one
socket: a kind, a length, and that many bytes. In come `r` (a request) and `w` (the wire); out go
`R` (ready), `o` and `e` (the outputs), `w`, `d` (done) and `b` (broken). The guest is root inside,
with the powers to become another user and to kill; the program is nobody and cannot touch it.

The text runs with `-c` and imports the standard library only.
"""

import contextlib
import ctypes
import marshal
import os
import resource
import select
import signal
import socket
import struct
import threading
from collections.abc import Callable
from typing import Any, NoReturn

HEAD = struct.Struct("=cI")
NOBODY = 65534
PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 24, 38, 2
CHUNK = 65536
LIBC = ctypes.CDLL(None, use_errno=True)
SAYING = threading.Lock()


def main() -> None:
    """Serves requests until the opener goes away; forks only while it has no other thread."""
    say(b"R")
    run: Run | None = None
    while frame := heard():
        kind, data = frame
        if kind == b"r":
            if run is not None:
                run.waiter.join()
            try:
                run = Run(marshal.loads(data))  # noqa: S302 - written by the opener
            except OSError as error:
                say(b"b", str(error).encode())
                return
        elif run is not None:
            run.wire_in(data)


def say(kind: bytes, data: bytes = b"") -> None:
    """Sends a frame; the opener always reads."""
    with SAYING:
        write(1, HEAD.pack(kind, len(data)) + data)


def write(descriptor: int, data: bytes) -> None:
    """Writes all of it."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            until(descriptor, select.POLLOUT)


def until(descriptor: int, event: int) -> None:
    """Waits: gVisor makes the host's sockets non-blocking, and sometimes it shows."""
    poll = select.poll()
    poll.register(descriptor, event)
    poll.poll()


def heard() -> tuple[bytes, bytes] | None:
    """The next frame, or None at the end."""
    head = read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, size = HEAD.unpack(head)
    return kind, read(size)


def read(size: int) -> bytes:
    """So many bytes of standard input; fewer at its end."""
    held = bytearray()
    while len(held) < size:
        try:
            part = os.read(0, size - len(held))
        except BlockingIOError:
            until(0, select.POLLIN)
            continue
        if not part:
            break
        held += part
    return bytes(held)


class Run:
    """One program, from its fork until nothing of it is left."""

    def __init__(self, request: dict[str, Any]) -> None:
        os.seteuid(NOBODY)  # whose pipes a program may open again by path; gVisor has no fchmod
        stdin = standard_input(request["stdin"])
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        os.seteuid(0)
        theirs = [stdin, out_end, err_end]
        self.wire: socket.socket | None = None
        if request["wired"]:
            self.wire, wire = socket.socketpair()
            theirs.append(wire.detach())
        self.pid = os.fork()
        if self.pid == 0:
            become(request, theirs)
        for descriptor in theirs:
            os.close(descriptor)
        self.relays = [thread(relay, out, b"o"), thread(relay, err, b"e")]
        if self.wire is not None:
            self.relays.append(thread(relay, self.wire.fileno(), b"w"))
        self.waiter = thread(self.end)

    def wire_in(self, data: bytes) -> None:
        """Hands on what came over the wire; nothing is its end."""
        assert self.wire is not None
        with contextlib.suppress(OSError):  # the program may have closed it
            if data:
                self.wire.sendall(data)
            else:
                self.wire.shutdown(socket.SHUT_WR)

    def end(self) -> None:
        """Waits for the program, ends what it left, and says how it was."""
        _, status, used = os.wait4(self.pid, 0)
        sweep()
        for each in self.relays:
            each.join()
        seconds = used.ru_utime + used.ru_stime
        code = os.waitstatus_to_exitcode(status)
        say(b"d", b"%d %f %d" % (code, seconds, used.ru_maxrss))


def standard_input(data: bytes) -> int:
    """A pipe where one takes all of it, as programs that poll want it; else a file."""
    if len(data) <= CHUNK:
        reading, writing = os.pipe()
        os.write(writing, data)
        os.close(writing)
        return reading
    file = os.memfd_create("stdin")
    write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def thread(what: Callable[..., None], *arguments: Any) -> threading.Thread:
    """A thread that has started."""
    made = threading.Thread(target=what, args=arguments, daemon=True)
    made.start()
    return made


def relay(source: int, kind: bytes) -> None:
    """Passes on all that comes, until its end."""
    with contextlib.suppress(ConnectionResetError):  # a wire with something unread in it
        while part := os.read(source, CHUNK):
            say(kind, part)
    if kind != b"w":
        os.close(source)


def sweep() -> None:
    """Kills and reaps everything that the program left running."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def become(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Becomes the program."""
    try:
        os.setsid()
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        high = [os.dup(descriptor) for descriptor in descriptors]
        for at, descriptor in enumerate(high):
            os.dup2(descriptor, at)
        os.closerange(len(high), 4096)
        for what, pair in request["limits"]:
            resource.setrlimit(what, pair)
        for capability in range(64):
            LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # unknown ones fail
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        confine(request["filter"])
        os.execve(request["argv"][0], request["argv"], request["env"])  # noqa: S606
    except OSError as error:
        write(2, f"{request['argv'][0]}: {error.strerror}\n".encode("utf-8", "replace"))
    finally:
        os._exit(127)


def confine(program: bytes) -> None:
    """No new privileges, and the filter of system calls."""
    lines = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(lines))
    if LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs refused")
    if LIBC.prctl(PR_SET_SECCOMP, FILTER, head, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "filter refused")


if __name__ == "__main__":
    main()
