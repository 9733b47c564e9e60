"""What a process holds to ask servers: one event loop in a thread, and a client a server.

A forked child forgets what its parent holds and starts its own at its next call.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Final, NamedTuple, TypeVar

from evalsi.core.reward.remote.client import Client
from evalsi.core.reward.remote.settings import RemoteServer

__all__ = ["begin"]

T = TypeVar("T")


def begin(server: RemoteServer, work: Callable[[Client], Coroutine[Any, Any, T]]) -> Future[T]:
    """Begins what is to be done with a server; the caller's thread and loop go on."""
    held = _process
    with held.lock:
        held.thread = held.thread or _started()
        client = held.clients.get(server) or Client(server)
        held.clients[server] = client
        return asyncio.run_coroutine_threadsafe(work(client), held.thread.loop)


class _Thread(NamedTuple):
    thread: threading.Thread
    loop: asyncio.AbstractEventLoop
    end: asyncio.Event


class _Process:
    def __init__(self) -> None:
        self.start_anew()

    def start_anew(self) -> None:
        self.lock = threading.Lock()
        self.thread: _Thread | None = None
        self.clients: dict[RemoteServer, Client] = {}


_process: Final = _Process()
_inherited: Final[list[object]] = []


def _started() -> _Thread:
    found: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def until_the_end() -> None:
        end = asyncio.Event()
        found.set_result((asyncio.get_running_loop(), end))
        await end.wait()

    # At its end `asyncio.run` cancels what still waits, and connections close with their loop.
    thread = threading.Thread(
        target=lambda: asyncio.run(until_the_end()), name="evalsi-remote", daemon=True
    )
    thread.start()
    return _Thread(thread, *found.result())


def _close() -> None:
    with _process.lock:
        held, clients = _process.thread, _process.clients
        _process.thread, _process.clients = None, {}
    if held is not None:
        held.loop.call_soon_threadsafe(held.end.set)
        held.thread.join(timeout=10)
    clients.clear()


def _after_fork() -> None:
    # Kept, so that the child's collector closes nothing of the parent's.
    _inherited.append((_process.thread, _process.clients))
    _process.start_anew()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_close)
