"""The application: routes, who may use them, and every failure as an answer that says why."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evalsi.core.errors import EvalsiError
from evalsi.core.reward import wire
from evalsi_server.access import Guard, Token
from evalsi_server.bodies import Bodies
from evalsi_server.health import Health
from evalsi_server.logs import LOG, Repeats, shown
from evalsi_server.metrics import Metrics
from evalsi_server.openrlhf import OpenRLHF
from evalsi_server.problems import Problem, json_answer
from evalsi_server.rewards import Rewards
from evalsi_server.scoring import Scorer
from evalsi_server.specs import Specs

__all__ = ["application"]

Failing: TypeAlias = Callable[[Request, Exception], Awaitable[Response]]

_OPENRLHF: Final = "/get_reward"
_NONE: Final = "none"
_WATCHED: Final = ("/healthz", "/readyz", "/metrics")
_ROUTES: Final = (
    f"POST {_OPENRLHF}, POST {_OPENRLHF}/<spec>, POST {wire.PATH}, GET {', GET '.join(_WATCHED)}"
)


def application(
    specs: Specs, scorer: Scorer, *, token: Token | None, missing: float | None, access_log: bool
) -> ASGIApp:
    """What the server serves.

    Args:
        specs: the rewards.
        scorer: what scores.
        token: what a request must know, or None.
        missing: what OpenRLHF is given where there is no total; None: an error.
        access_log: whether every answer is logged, and not the failures only.
    """
    bodies, repeats = Bodies(scorer.limits.max_body_bytes), Repeats()
    scorer.at_stop(bodies.stop)
    openrlhf = OpenRLHF(specs, scorer, bodies, missing)
    rewards = Rewards(specs, scorer, bodies, repeats)
    health = Health(specs, scorer)
    routes = [
        Route(_OPENRLHF, openrlhf.get_reward, methods=["POST"]),
        Route(f"{_OPENRLHF}/{{name}}", openrlhf.get_reward, methods=["POST"]),
        Route(wire.PATH, rewards.score, methods=["POST"]),
        Route("/healthz", health.alive),
        Route("/readyz", health.ready),
        Route("/metrics", health.metrics),
    ]
    failures = _failures(repeats)
    app = Starlette(routes=routes, exception_handlers=failures)
    return _Counted(Guard(app, token), scorer.metrics, access_log=access_log)


def _failures(repeats: Repeats) -> dict[type[Exception], Failing]:
    """An answer for each kind of failure; any other is a bug, and its traceback is logged."""

    def told(request: Request, error: Exception) -> None:
        # Not `request.url`, which parses the client's Host and may fail at it.
        repeats.warn(f"{request.method} {_named(request.scope['path'])}", str(error))

    async def problem(request: Request, error: Exception) -> Response:
        assert isinstance(error, Problem)
        told(request, error)
        return error.answer()

    async def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, EvalsiError)
        told(request, error)
        return json_answer(*wire.error_answer(error))

    async def no_route(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        found = Problem("not-found", f"there is no such route; the routes are {_ROUTES}")
        told(request, found)
        return found.answer()

    async def bug(_: Request, error: Exception) -> Response:
        return Problem("internal", f"the server erred: {type(error).__name__}").answer()

    return {Problem: problem, EvalsiError: ours, HTTPException: no_route, Exception: bug}


class _Counted:
    """Counts and logs answers. The path that it sees has lost its token by then."""

    def __init__(self, app: ASGIApp, metrics: Metrics, *, access_log: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = time.perf_counter()
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            self._count(scope, status, time.perf_counter() - begun)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = _label(scope["path"])
        self._metrics.answered(route, status, seconds)
        if self._access_log:
            path = shown(_named(scope["path"]))
            LOG.info("%s %s %d %.0f ms", scope["method"], path, status, seconds * 1e3)


def _named(path: str) -> str:
    """The path as a log may hold it: what is no route may hold a token where none is looked for."""
    return "(no route)" if _label(path) == _NONE else path


def _label(path: str) -> str:
    """The route, and never the path: paths are the clients', and there is no end of them."""
    if path in {_OPENRLHF, wire.PATH, *_WATCHED}:
        return path
    return _OPENRLHF if path.startswith(f"{_OPENRLHF}/") else _NONE
