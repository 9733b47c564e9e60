"""A try in a forked child, step by step, each step under a deadline kept by a kill.

An evaluator under test may hang, crash or eat its process; the kit outlives all of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
import warnings
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from evalsi.core.results import Failure
from evalsi.core.testing.checks import CheckFailed

__all__ = ["Step", "in_child"]

Step: TypeAlias = Callable[[str], None]
"""Says what comes next, as "on an empty text"; the clock restarts."""


def in_child(attempt: Callable[[Step], None], deadline_s: float) -> None:
    """Runs an attempt in a child of its own process group.

    Raises:
        CheckFailed: the attempt's own, or one that says at which step it hung or died.
    """
    reader, writer = os.pipe()
    child = _fork()
    if child == 0:
        _run(attempt, writer)
    os.close(writer)
    try:
        failure = _Follower(reader, deadline_s).failure()
    finally:
        os.close(reader)
        status = _end(child)
    if failure is not None:
        raise CheckFailed(failure.replace("{status}", str(status)))


def _fork() -> int:
    with warnings.catch_warnings():
        # Python 3.12 warns of forks beside threads; a hang of the child is what we wait for.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _run(attempt: Callable[[Step], None], writer: int) -> NoReturn:
    def tell(**message: str) -> None:
        os.write(writer, json.dumps(message).encode() + b"\n")

    try:
        os.setsid()
        attempt(lambda at: tell(at=at))
        tell(end="")
    except CheckFailed as failed:
        tell(end=str(failed))
    except BaseException as error:  # noqa: BLE001 - the boundary to a stranger's code
        tell(end=f"The check raised {Failure.of(error)}.")
    finally:
        os._exit(0)


def _end(child: int) -> int:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):  # it may not have made its group yet
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class _Follower:
    """Reads what a child tells."""

    def __init__(self, reader: int, deadline_s: float) -> None:
        self._reader = reader
        self._deadline_s = deadline_s
        self._told = b""
        self._at = "at its start"

    def failure(self) -> str | None:
        """The sentence that the child ended with, or one about its hang or death; None if well."""
        while (line := self._line()) is not None:
            message = json.loads(line)
            if "end" in message:
                return str(message["end"]) or None
            self._at = message["at"]
        if self._told == b"hung":
            return (
                f"It did not come back within {self._deadline_s:g} s {self._at}; "
                "every answer must come in bounded time."
            )
        return f"Its process died with status {{status}} {self._at}; no text may crash it."

    def _line(self) -> bytes | None:
        until = time.monotonic() + self._deadline_s
        waiter = select.poll()
        waiter.register(self._reader, select.POLLIN)
        while b"\n" not in self._told:
            left_s = until - time.monotonic()
            if left_s <= 0 or not waiter.poll(left_s * 1000):
                self._told = b"hung"
                return None
            part = os.read(self._reader, 65536)
            if not part:
                return None
            self._told += part
        line, _, self._told = self._told.partition(b"\n")
        return line
