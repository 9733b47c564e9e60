"""Lines of a classic BPF program that decides on a system call, as the kernel reads them.

Source: `linux/filter.h`, `linux/seccomp.h`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

__all__ = [
    "ALLOW",
    "AND",
    "ANY_BIT",
    "ARCH",
    "AT_LEAST",
    "EQUAL",
    "KILL",
    "LOAD",
    "NUMBER",
    "RETURN",
    "argument",
    "line",
    "refuse",
    "search",
    "section",
    "unless",
    "when",
]

LOAD: Final = 0x20
AND: Final = 0x54
EQUAL: Final = 0x15
AT_LEAST: Final = 0x35
ANY_BIT: Final = 0x45
RETURN: Final = 0x06
ALLOW: Final = 0x7FFF_0000
KILL: Final = 0x8000_0000
NUMBER: Final = 0
ARCH: Final = 4
_ERRNO: Final = 0x0005_0000
_ARGUMENTS: Final = 16  # in struct seccomp_data; of each argument the low half comes first


def line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One `struct sock_filter`; a jump counts the lines that it skips."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def argument(at: int) -> bytes:
    """Loads the low half of a call's argument."""
    return line(LOAD, _ARGUMENTS + 8 * at)


def refuse(number: int) -> int:
    """The answer that makes a call fail with an errno."""
    return _ERRNO | number


def when(test: int, value: int, action: int) -> list[bytes]:
    """Answers when the test holds; else goes on."""
    return [line(test, value, 0, 1), line(RETURN, action)]


def unless(test: int, value: int, action: int) -> list[bytes]:
    """Answers when the test does not hold; else goes on."""
    return [line(test, value, 1, 0), line(RETURN, action)]


def section(number: int, body: Sequence[bytes]) -> list[bytes]:
    """Lines for one call, its first argument loaded; after them the number is loaded again."""
    inside = [argument(0), *body, line(LOAD, NUMBER)]
    return [line(EQUAL, number, 0, len(inside)), *inside]


def search(answers: Sequence[tuple[int, Sequence[bytes]]]) -> list[bytes]:
    """Lines for all values: those of the last start that is not above the value.

    The kernel tries a filter on each system call when it is installed, so that its depth counts.

    Args:
        answers: starts in order, from 0, each with lines that end in an answer.
    """
    if len(answers) == 1:
        return list(answers[0][1])
    middle = len(answers) // 2
    below, above = search(answers[:middle]), search(answers[middle:])
    return [line(AT_LEAST, answers[middle][0], len(below), 0), *below, *above]
