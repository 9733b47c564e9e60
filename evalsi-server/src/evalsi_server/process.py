"""The process: its signals, and an end that loses no answer.

The first signal lets requests in flight finish and takes no more; a second one ends the process
at once. Whatever the end, the engine's keeper takes with it what the engine started.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import resource
import signal
import socket
from collections.abc import Callable, Generator
from typing import Final

import uvicorn
import uvloop
from starlette.types import ASGIApp

from evalsi_server.logs import LOG
from evalsi_server.scoring import Scorer

__all__ = ["serve"]

_KEEP_ALIVE_S: Final = 75
_LAST_BYTES_S: Final = 5
"""Seconds that answers have, after the drain, to reach clients that read slowly."""


def serve(
    app: ASGIApp,
    scorer: Scorer,
    bound: socket.socket,
    *,
    drain_s: float,
    began: Callable[[], None],
) -> None:
    """Serves until a signal.

    Args:
        app: the application.
        scorer: told when the server drains, and stopped when that took too long.
        bound: the socket.
        drain_s: seconds that requests in flight have, from the first signal.
        began: called when requests are answered and signals are obeyed.
    """
    _allow_many_sockets()
    config = uvicorn.Config(
        app,
        http="httptools",
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=math.ceil(drain_s) + _LAST_BYTES_S,
    )
    server = _Server(config, scorer, drain_s, began)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(server.serve(sockets=[bound]))


class _Server(uvicorn.Server):
    """With our own signals: the library's raises them anew at the end, and would exit by them."""

    def __init__(
        self,
        config: uvicorn.Config,
        scorer: Scorer,
        drain_s: float,
        began: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._scorer = scorer
        self._drain_s = drain_s
        self._began = began

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._began()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        self._scorer.stop()  # what goes on for requests that gave up would hold the process

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._drain, number)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def _drain(self, number: signal.Signals) -> None:
        if self.should_exit:
            LOG.warning("a second signal: ending at once")
            os._exit(128 + number)
        LOG.info("%s: finishing what is in flight, for at most %g s", number.name, self._drain_s)
        self._scorer.draining = True
        self.should_exit = True
        asyncio.get_running_loop().call_later(self._drain_s, self._scorer.stop)


def _allow_many_sockets() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
