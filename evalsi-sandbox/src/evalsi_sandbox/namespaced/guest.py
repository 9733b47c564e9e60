"""The first process of a jail: runs commands, reaps orphans, reports how each command ended.

Its text is handed to the jail's interpreter with `-c`, so it uses nothing but built-in modules;
`resource` and `select` are extension modules of the standard library. The program runs as the same
user, so the guest is made undumpable: `/proc/1` shows the program nothing, and lets it change
nothing.

The control socket carries how many seconds of CPU all processes may use together (0: another one
counts) and the descriptors request, stdin, stdout, stderr and perhaps a wire; the answer is
`done STATUS CPU_SECONDS PEAK_KIB`. At end of file the opener is gone: the
guest leaves, and the kernel kills whatever is left in its PID namespace.
"""

import _ctypes
import marshal
import os
import resource
import select
import sys
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIG_IGN,
    SIGINT,
    SIGKILL,
    SIGPIPE,
    SIGXFSZ,
    signal,
)
from _socket import AF_UNIX, SOCK_SEQPACKET, socket

LOOK_MS = 250
TICKS = os.sysconf("SC_CLK_TCK")


def serve(control: socket) -> None:
    """Answers requests until the opener goes away."""
    hide()
    control.send(b"ready")
    while (request := received(control)) is not None:
        together_s, descriptors = request
        try:
            process = os.fork()
        except OSError as error:
            control.send(b"broken: " + str(error).encode())
            return
        if process == 0:
            run(descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        ended = select.poll()
        watched = os.pidfd_open(process)
        ended.register(watched, select.POLLIN)
        ended.register(control, 0)  # its end of file alone
        purse = Purse(together_s)
        while not (ready := ended.poll(LOOK_MS if together_s else None)):
            if purse.is_empty():
                os.kill(process, SIGKILL)
                together_s = 0
        if any(which == control.fileno() for which, _ in ready):
            return
        os.close(watched)
        _, status, used = os.wait4(process, 0)
        sweep()
        code = os.waitstatus_to_exitcode(status)
        cpu_s = used.ru_utime + used.ru_stime
        if purse.is_spent:
            code, cpu_s = -SIGKILL, purse.spent_s
        control.send(b"done %d %f %d" % (code, cpu_s, used.ru_maxrss))


class Purse:
    """What all processes may use together, in seconds of CPU."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.spent_s = self.seen_s = 0.0
        self.is_spent = False

    def is_empty(self) -> bool:
        """Looks; children that nobody waited for take their time with them, so a fall counts 0."""
        now_s = sum(map(used_by, filter(str.isdigit, os.listdir("/proc"))))  # noqa: PTH208
        self.spent_s += max(0.0, now_s - self.seen_s)
        self.seen_s = now_s
        self.is_spent = self.spent_s > self.limit_s
        return self.is_spent


def used_by(process: str) -> float:
    """Seconds of CPU of a process and the children that it waited for; ours do not count."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            fields = file.read().rpartition(b")")[2].split()
    except OSError:  # it ended meanwhile
        return 0.0
    return 0.0 if process == "1" else sum(map(int, fields[11:15])) / TICKS


def hide() -> None:
    """Calls `prctl(PR_SET_DUMPABLE, 0)`.

    By the bare `_ctypes`: to import `ctypes` takes as long as to start the interpreter.
    """

    class Int(_ctypes._SimpleCData):  # type: ignore[type-arg]
        _type_ = "i"

    class Function(_ctypes.CFuncPtr):
        _flags_ = 1  # FUNCFLAG_CDECL
        _restype_ = Int

    itself = _ctypes.dlopen(None, os.RTLD_NOW)  # type: ignore[arg-type]
    prctl = Function(_ctypes.dlsym(itself, "prctl"))
    if prctl(4, 0, 0, 0, 0) != 0:
        raise OSError("prctl(PR_SET_DUMPABLE) failed")


def received(control: socket) -> tuple[float, list[int]] | None:
    """The next request; None at end of file."""
    together_s, extra, _, _ = control.recvmsg(32, 256)
    packed = b"".join(data for _, _, data in extra)
    ends = range(0, len(packed), 4)
    descriptors = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in ends]
    return (float(together_s), descriptors) if descriptors else None


def run(descriptors: list[int]) -> None:
    """Becomes the program."""
    with open(descriptors[0], "rb", closefd=False) as file:
        argv, env, limits = marshal.load(file)  # noqa: S302 - written by the opener
    os.setsid()
    for number in (SIGPIPE, SIGXFSZ, SIGINT):
        signal(number, SIG_DFL)
    high = [os.dup(descriptor) for descriptor in descriptors[1:]]
    for at, descriptor in enumerate(high):
        os.dup2(descriptor, at)
    os.closerange(len(high), 1 << 20)
    for what, value in limits:
        resource.setrlimit(what, value)
    try:
        os.execve(argv[0], argv, env)  # noqa: S606 - that is what a guest is for
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode("utf-8", "replace"))
    finally:
        os._exit(127)


def sweep() -> None:
    """Kills and reaps everything that the command left running."""
    try:  # noqa: SIM105 - contextlib is too much to import
        os.kill(-1, SIGKILL)
    except ProcessLookupError:
        pass
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


if __name__ == "__main__":
    signal(SIGINT, SIG_IGN)
    number = int(sys.argv[1])
    os.set_inheritable(number, False)
    null = os.open("/dev/null", os.O_RDWR)
    channel = socket(AF_UNIX, SOCK_SEQPACKET, 0, number)
    for standard in range(3):
        os.dup2(null, standard)
    serve(channel)
