"""Becomes a program as nobody, where the way to it leads through folders that only root may pass.

Root runs this in the jail's interpreter with `-c`. In a mount namespace of its own it covers each
such folder with an empty one in which everybody may pass, and binds into it what the program
needs. On a descriptor that closes at exec it says "ready" before the program starts, and what went
wrong.
"""

import ctypes
import marshal
import os
import signal
import sys

NEW_MOUNTS, BIND, REMOUNT, READ_ONLY, PRIVATE = 0x2_0000, 4096, 32, 1, 0x4_4000
SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def main(plan: int, report: int) -> None:
    """Reads the plan, and ends as the program."""
    with open(plan, "rb") as file:
        wanted = marshal.load(file)  # noqa: S302 - written by the opener
    os.set_inheritable(report, False)
    try:
        open_the_way(wanted["covers"], wanted["shown"])
        become(wanted["uid"])
        os.chdir(wanted["cwd"])
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # this interpreter ignores them
            signal.signal(number, signal.SIG_DFL)
        os.write(report, b"ready")
        os.execve(wanted["argv"][0], wanted["argv"], wanted["env"])  # noqa: S606 - its purpose
    except OSError as error:
        os.write(report, str(error).encode("utf-8", "replace"))
    finally:
        os._exit(127)


def open_the_way(covers: list[str], shown: list[str]) -> None:
    """Leaves of each cover what is shown, at its place."""
    checked(LIBC.unshare(NEW_MOUNTS))
    checked(LIBC.mount(b"none", b"/", None, PRIVATE, None))
    os.umask(0o022)
    held = [os.open(path, os.O_PATH | os.O_DIRECTORY) for path in shown]
    for cover in covers:
        checked(LIBC.mount(b"none", os.fsencode(cover), b"tmpfs", 0, b"mode=755,size=64k"))
    for path, fd in zip(shown, held, strict=True):
        os.makedirs(path, exist_ok=True)  # noqa: PTH103 - pathlib is slow to import
        checked(LIBC.mount(b"/proc/self/fd/%d" % fd, os.fsencode(path), None, BIND, None))
        os.close(fd)
    for cover in covers:
        flags = REMOUNT | BIND | READ_ONLY
        checked(LIBC.mount(None, os.fsencode(cover), None, flags, None))


def become(uid: int) -> None:
    """Changes the user, after which no capability is left, and dies with the parent still."""
    parent = os.getppid()
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    LIBC.prctl(SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # the change has cleared it
    if os.getppid() != parent:
        os._exit(1)


def checked(result: int) -> None:
    """Raises what the last call failed with."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
