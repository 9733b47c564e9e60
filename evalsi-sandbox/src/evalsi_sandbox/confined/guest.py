"""Becomes a confined program: lays down privileges, takes Landlock and filters, executes it.

Its text runs in the jail's interpreter with `-c`, so it uses built-in modules and nothing that is
slow to import. What to do is read from one descriptor; on another, which closes at exec, it says
"ready" before the program starts: who ends without that word was never the program.
"""

import _ctypes
import marshal
import os
import sys
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIGINT,
    SIGKILL,
    SIGPIPE,
    SIGXFSZ,
    signal,
)
from typing import Any

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 22, 24, 38
CREATE_RULESET, ADD_RULE, RESTRICT_SELF, PATH_BENEATH = 444, 445, 446, 1
CAPSET = {"x86_64": 126, "aarch64": 91}
CAP_VERSION_3 = 0x2008_0522
SECCOMP_MODE_FILTER = 2


class Long(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """The kernel takes every argument as a register."""

    _type_ = "l"


class Byte(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """One of a buffer."""

    _type_ = "B"


class Function(_ctypes.CFuncPtr):
    """A function of the C library; `ctypes` itself takes long to import."""

    _flags_ = 1 | 8  # FUNCFLAG_CDECL, FUNCFLAG_USE_ERRNO
    _restype_ = Long


SYSCALL = Function(
    _ctypes.dlsym(_ctypes.dlopen(None, os.RTLD_NOW), "syscall")  # type: ignore[arg-type]
)
PRCTL = {"x86_64": 157, "aarch64": 167}


def main(plan: int, report: int) -> None:
    """Reads the plan, and ends as the program."""
    with open(plan, "rb") as file:
        wanted = marshal.load(file)  # noqa: S302 - written by the opener
    parent = os.getppid()
    os.set_inheritable(report, False)
    become(wanted["uid"])
    prctl(PR_SET_PDEATHSIG, SIGKILL)  # a change of user has cleared it
    if os.getppid() != parent:
        os._exit(1)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    landlock(wanted["handled"], wanted["rules"])
    for program in wanted["filters"]:
        install(itself(program, wanted["itself"]))
    for number in (SIGPIPE, SIGXFSZ, SIGINT):  # this interpreter's own ways with them
        signal(number, SIG_DFL)
    os.write(report, b"ready")
    try:
        os.execve(wanted["argv"][0], wanted["argv"], wanted["env"])  # noqa: S606 - its purpose
    except OSError as error:
        words = f"{wanted['argv'][0]}: {error.strerror}\n"
        os.write(2, words.encode("utf-8", "replace"))
    finally:
        os._exit(127)


def become(uid: int | None) -> None:
    """Gives up every capability, and the user where another is wanted."""
    if os.geteuid() == 0:
        for capability in range(64):
            SYSCALL(PRCTL[machine()], PR_CAPBSET_DROP, capability, 0, 0, 0)  # unknown ones fail
    if uid is not None:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    header = CAP_VERSION_3.to_bytes(4, sys.byteorder) + bytes(4)
    call(CAPSET[machine()], header, bytes(24))


def landlock(handled: tuple[bytes, int], rules: list[tuple[str, int]]) -> None:
    """Restricts this process, for good and for all that it starts."""
    attributes, files_only = handled
    ruleset = call(CREATE_RULESET, attributes, len(attributes), 0)
    for path, rights in rules:
        try:
            target = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what is not there needs no right
        folder = os.stat(target).st_mode & 0o170000 == 0o040000  # noqa: PTH116 - by descriptor
        held = rights if folder else rights & files_only
        beneath = held.to_bytes(8, sys.byteorder) + target.to_bytes(4, sys.byteorder)
        call(ADD_RULE, ruleset, PATH_BENEATH, beneath, 0)
        os.close(target)
    call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def itself(program: bytes, mark: int) -> bytes:
    """A filter with this process's number where the mark stands as an operand."""
    number, own = mark.to_bytes(4, sys.byteorder), os.getpid().to_bytes(4, sys.byteorder)
    lines = [program[at : at + 8] for at in range(0, len(program), 8)]
    return b"".join(line[:4] + own if line[4:] == number else line for line in lines)


def install(program: bytes) -> None:
    """Puts a filter of system calls on this process and all that it starts."""
    lines = (Byte * len(program)).from_buffer_copy(program)
    head = (len(program) // 8).to_bytes(8, sys.byteorder)
    where = _ctypes.addressof(lines).to_bytes(8, sys.byteorder)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, head + where)


def machine() -> str:
    """The processor's name."""
    return os.uname().machine


def prctl(option: int, *arguments: int | bytes) -> None:
    """Sets something of this process."""
    call(PRCTL[machine()], option, *arguments, *(0,) * (4 - len(arguments)))


def call(number: int, *arguments: int | bytes) -> int:
    """A system call that must succeed."""
    given: list[Any] = [Long(value) if isinstance(value, int) else value for value in arguments]
    result = SYSCALL(Long(number), *given)
    if result < 0:
        raise OSError(_ctypes.get_errno(), f"system call {number}")
    return int(result)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
