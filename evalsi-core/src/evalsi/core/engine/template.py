"""A template: a process that has one piece of work loaded and forks its workers from that state.

Replacing a killed worker costs a fork. An import that hangs, crashes or starts threads hurts its
own template only, never the keeper.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import socket
import sys
from pathlib import Path
from typing import Any

from evalsi.core.engine.nursery import Nursery, become_reaper, close_others
from evalsi.core.engine.work import load
from evalsi.core.results import Failure

__all__ = ["serve_template"]


def serve_template(what: dict[str, Any], fds: list[int]) -> None:
    """Loads the work, says "ready" or why not on the control socket, and forks workers."""
    close_others(fds)
    os.dup2(2, 1)  # who prints must not write into its owner's output
    become_reaper()
    control = socket.socket(fileno=fds[1])
    sys.path[:] = what["path"]
    try:
        work = load(what["load"])
    except BaseException as error:  # noqa: BLE001 - SystemExit at import is a failure as well
        why = Failure.of(error)
        control.send(json.dumps(("failed", why.kind, why.message, why.where)).encode())
        return
    gc.collect()
    gc.freeze()
    control.send(json.dumps(("ready",)).encode())

    def birth(request: Any, worker_fds: list[int]) -> None:
        close_others(worker_fds[1:])  # its status socket is not the work's to write on
        _bound_memory(request["memory_mb"])
        try:
            work(socket.socket(fileno=worker_fds[1]))
        finally:
            os._exit(1)

    Nursery(control, birth).serve()


def _bound_memory(memory_mb: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = memory_mb * 1024 * 1024
    # Private writable memory: address space alone would forbid what torch merely reserves.
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
