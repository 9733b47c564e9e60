"""How a command ends: one exit code for each kind of end, and errors told on stderr."""

from __future__ import annotations

import contextlib
import enum
import io
import os
import select
import sys
from collections.abc import Iterator
from typing import Final, NoReturn

import click

from evalsi.core.errors import (
    DataError,
    EvalsiError,
    PluginError,
    RewardError,
    ServerError,
    SpecError,
)
from evalsi.core.results import INFRASTRUCTURE

__all__ = ["ExitCode", "exit_code", "reported", "tell"]

_CONTROLS: Final = {at: f"\\x{at:02x}" for at in (*range(9), *range(11, 32), *range(127, 160))}
"""All of them but tab and line feed."""


class ExitCode(enum.IntEnum):
    """What a command's exit status means; the documentation promises these numbers."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REGRESSION = 3
    INFRASTRUCTURE = 4
    INTERRUPTED = 130
    PIPE_CLOSED = 141


def exit_code(error: EvalsiError) -> ExitCode:
    """The exit code that an error stands for.

    A batch that failed is infrastructure, or bad data, only when every one of its causes is. What
    a server refuses (a token, a spec) is for its caller to mend.
    """
    if isinstance(error, ServerError) and error.cause == "refused":
        return ExitCode.USAGE
    if isinstance(error, SpecError | DataError | PluginError):
        return ExitCode.USAGE
    if isinstance(error, RewardError):
        kinds = {failure.kind for _, _, failure in error.causes} or {error.kind}
    else:
        kinds = {error.kind}
    if kinds <= INFRASTRUCTURE:
        return ExitCode.INFRASTRUCTURE
    return ExitCode.USAGE if kinds == {"data"} else ExitCode.FAILED


@contextlib.contextmanager
def reported() -> Iterator[None]:
    """Turns an error into its message on stderr and its exit code.

    Ctrl-C is one line and 130. A reader of stdout that went away (`| head`) is silence and 141,
    the status that a shell gives to a program that a closed pipe ended.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except EvalsiError as error:
        _end(str(error), exit_code(error))
    except (KeyboardInterrupt, click.Abort):
        _end("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        if not _reader_is_gone():
            raise
        # The interpreter flushes once more on its way out, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(ExitCode.PIPE_CLOSED) from None


def tell(message: str) -> None:
    """Prints on stderr, with what data may hold of a terminal's commands as escapes."""
    click.echo(message.translate(_CONTROLS), err=True)


def _end(message: str, code: ExitCode) -> NoReturn:
    tell(message)
    raise SystemExit(code) from None


def _reader_is_gone() -> bool:
    # Not every broken pipe is ours: one between the engine's processes is a failure to tell.
    with contextlib.suppress(io.UnsupportedOperation, ValueError):
        poll = select.poll()
        poll.register(sys.stdout.fileno(), select.POLLOUT)
        return any(event & select.POLLERR for _, event in poll.poll(0))
    return False
