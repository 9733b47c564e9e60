"""The engine runs evaluators: in the caller's thread, in engine threads, or in workers.

One engine a process, created at its first use. A forked child forgets its parent's engine, locks
and descriptors, and starts its own at its next call.
"""

from __future__ import annotations

import atexit
import os
import threading

from evalsi.core.engine.client import forget_inherited
from evalsi.core.engine.engine import Engine
from evalsi.core.engine.stop import Stop
from evalsi.core.engine.tokens import forget_held
from evalsi.core.engine.tools import tools_for

__all__ = ["Engine", "Stop", "close_engine", "current_engine", "start_engine", "tools_for"]


class _Process:
    """What this process holds; a fresh one stands in a forked child."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.engine: Engine | None = None


_process = _Process()


def current_engine() -> Engine:
    """This process's engine."""
    held = _process
    with held.lock:
        if held.engine is None:
            held.engine = Engine()
        return held.engine


def start_engine(*, width: int) -> Engine:
    """Ends this process's engine, if there is one, and starts one of that width."""
    close_engine()
    with _process.lock:
        _process.engine = Engine(width=width)
        return _process.engine


def close_engine() -> None:
    """Ends this process's engine with all that it started; the next call starts another."""
    held = _process
    with held.lock:
        engine, held.engine = held.engine, None
    if engine is not None:
        engine.close()


def _after_fork() -> None:
    global _process
    inherited, _process = _process, _Process()
    if inherited.engine is not None:
        inherited.engine.forget()
    forget_inherited()
    forget_held()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(close_engine)
