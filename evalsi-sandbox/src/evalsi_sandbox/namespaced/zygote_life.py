"""A program's life in its case, from its first line to its exit status, as the interpreter has it.

A part of the zygote's text: standard library only.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import io
import os
import sys
import threading
import types
import warnings
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIGINT,
    default_int_handler,
    signal,
)

from evalsi_sandbox.namespaced.zygote_calls import SIGACTION, checked, syscall
from evalsi_sandbox.namespaced.zygote_rooms import MAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

LONGEST = 256 * 1024  # of a text that the holder compiles: no limit holds for it yet
INTERRUPTED = ctypes.create_string_buffer(64)  # `struct sigaction` of the interpreter's handler
IGNORED = (1).to_bytes(8, sys.byteorder) + bytes(56)
MASK_SIZE = 8


def ignore_interrupts() -> None:
    """Has the kernel ignore SIGINT, while the interpreter believes that it handles it.

    With a handler it would reach a first process; a case has only to tell the kernel.
    """
    signal(SIGINT, default_int_handler)
    checked(syscall(SIGACTION, SIGINT, None, INTERRUPTED, MASK_SIZE))
    checked(syscall(SIGACTION, SIGINT, IGNORED, None, MASK_SIZE))


class Life:
    """A program that is about to run in this process: all that is left to do is to run it.

    Attributes:
        code: None until it begins, where the text is left to the case.
        names: of its module.
        kept: what a case need not free: that would touch its pages.
    """

    def __init__(self, code: types.CodeType | None, text: bytes) -> None:
        self.code = code
        self.text = text
        self.kept: object = None
        drawing = b"random" in text or b"statistics" in text
        self.drawn: Any = sys.modules.get("random") if drawing else None
        self.module: types.ModuleType | None = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.names.update(__builtins__=sys.modules["builtins"], __file__=MAIN, **own())
        sys.modules["__main__"] = self.module

    def begin(self) -> None:
        """Is called in the case; raises what is wrong with a text that was left to it."""
        syscall(SIGACTION, SIGINT, INTERRUPTED, None, MASK_SIZE)
        gc.enable()
        if self.drawn is not None:
            self.drawn._inst.seed()  # as Python's own fork hook does
        if self.code is None:
            self.code = compile(self.text, MAIN, "exec", dont_inherit=True)

    def failed(self, error: BaseException) -> int:
        """Shows what the program ended with, as the interpreter does; the exit status."""
        if isinstance(error, SystemExit):
            return _status_of(error)
        error.__traceback__ = _own(error.__traceback__)
        status = _shown(error)
        return -1 if isinstance(error, KeyboardInterrupt) else status

    def finish(self, status: int) -> NoReturn:
        """Ends the process as the interpreter would."""
        if not self.leave():
            status = 120
        elif status < 0:
            signal(SIGINT, SIG_DFL)
            os.kill(os.getpid(), SIGINT)
        os._exit(status & 0xFF)

    def leave(self) -> bool:
        """What the interpreter does on its way out: threads, exit functions, buffers, objects.

        Gives whether all that was printed could be written.
        """
        if len(threading._active) > 1 or threading._threading_atexits:  # type: ignore[attr-defined]
            threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        flushed = _flushed(sys.stdout, shown=True) & _flushed(sys.stderr)
        # Where nothing has grown old, the young are all; a whole collection frees for a future.
        young = not any(gc.get_count()[1:]) and sys.version_info < (3, 14)
        gc.collect(0 if young else 2)
        del self.names
        self.module = sys.last_type = sys.last_value = sys.last_traceback = None
        sys.modules.pop("__main__", None)
        gc.collect(1 if young else 2)
        flushed &= _flushed(sys.stdout)
        if sys.__stdout__ is not sys.stdout:
            flushed &= _flushed(sys.__stdout__)
        if sys.stderr is not sys.stdout and sys.stderr is not sys.__stdout__:
            flushed &= _flushed(sys.stderr)
        return flushed


def own() -> dict[str, object]:
    """Names of a `__main__` that was read from a file."""
    if sys.version_info < (3, 14):
        return {"__annotations__": {}, "__cached__": None}
    return {"__cached__": None}


def _own(trace: types.TracebackType | None) -> types.TracebackType | None:
    """The program's part of a traceback: ours stands above it."""
    while trace is not None and trace.tb_frame.f_code.co_filename != MAIN:
        trace = trace.tb_next
    return trace


def _status_of(leaving: SystemExit) -> int:
    """What `sys.exit(code)` ends a process with."""
    code = leaving.code
    if code is None:
        return 0
    if isinstance(code, int):
        if -(1 << 63) <= code < 1 << 63:
            return int(code) & 0xFF
        if sys.version_info >= (3, 12):
            os.write(2, b"OverflowError: Python int too large to convert to C long\n")
        return 0xFF
    with contextlib.suppress(BaseException):
        if sys.stderr is None:
            os.write(2, f"{code}\n".encode())
        else:
            sys.stderr.write(f"{code}\n")
    return 1


def _shown(error: BaseException) -> int:
    """Calls the hook for uncaught exceptions; the exit status."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit as leaving:
        return _status_of(leaving)
    except BaseException as worse:  # noqa: BLE001 - shown too
        worse.__traceback__ = _own(worse.__traceback__)
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(worse), worse, worse.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)
    return 1


def _flushed(stream: Any, *, shown: bool = False) -> bool:
    """Whether what was printed could be written; nothing is asked of one that is closed."""
    try:
        # The usual stream asks itself, in fewer pages.
        if type(stream) is io.TextIOWrapper or not (
            stream is None or getattr(stream, "closed", False)
        ):
            stream.flush()
    except BaseException as error:  # noqa: BLE001 - whatever stands there may raise anything
        if type(stream) is io.TextIOWrapper and _is_closed(stream):
            return True
        if shown and sys.stderr is not None:
            newer = sys.version_info >= (3, 13)
            where = "on flushing sys.stdout:" if newer else f"in: {stream!r}"
            sys.stderr.write(f"Exception ignored {where}\n")
            sys.__excepthook__(type(error), error.with_traceback(None), None)
        return False
    return True


def _is_closed(stream: io.TextIOWrapper) -> bool:
    try:
        return stream.closed
    except ValueError:  # it was detached
        return False


def compiled(text: bytes) -> types.CodeType | None:
    """The code, or None where a case shall find out: a text that warns, is wrong, or is long."""
    if len(text) > LONGEST:
        return None
    shown = warnings._showwarnmsg  # type: ignore[attr-defined]
    warnings._showwarnmsg = left_to_the_case  # type: ignore[attr-defined]
    try:
        return compile(text, MAIN, "exec", dont_inherit=True)
    except BaseException:  # noqa: BLE001 - the program's own, told in its case
        return None
    finally:
        warnings._showwarnmsg = shown  # type: ignore[attr-defined]


def left_to_the_case(*_: object) -> None:
    """Stands in for what shows a warning."""
    raise SyntaxError
