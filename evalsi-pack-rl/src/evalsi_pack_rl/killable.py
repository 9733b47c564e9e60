"""One match of Python's `re` in a forked child, which is killed at its deadline.

`re` holds the interpreter for as long as it searches: no thread, signal handler or timer of the
same process can end a catastrophic match.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import select
import signal
import warnings
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import re

__all__ = ["killable_fullmatch"]


def killable_fullmatch(pattern: re.Pattern[str], text: str, deadline_s: float) -> bool | None:
    """Whether the pattern matches the whole text; None when that took longer than the deadline.

    Raises:
        RuntimeError: the child ended without a verdict.
    """
    readable, writable = os.pipe()
    try:
        child = _fork()
        if child == 0:
            _match(pattern, text, deadline_s, writable)
    finally:
        os.close(writable)
    try:
        return _verdict(child, readable, deadline_s)
    finally:
        os.close(readable)


def _fork() -> int:
    with warnings.catch_warnings():
        # Python 3.12 warns of forks beside threads; the child only matches, writes and exits.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _match(pattern: re.Pattern[str], text: str, deadline_s: float, writable: int) -> NoReturn:
    try:
        # Should the parent be killed meanwhile, the kernel ends what it leaves behind.
        seconds = math.ceil(deadline_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.write(writable, b"1" if pattern.fullmatch(text) else b"0")
    finally:
        os._exit(0)


def _verdict(child: int, readable: int, deadline_s: float) -> bool | None:
    waiter = select.poll()
    waiter.register(readable, select.POLLIN)
    try:
        if not waiter.poll(deadline_s * 1000):
            return None
        answer = os.read(readable, 1)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if not answer:
        ended = os.waitstatus_to_exitcode(status)
        raise RuntimeError(
            f"the process that matches the pattern ended without a verdict ({ended})"
        )
    return answer == b"1"
