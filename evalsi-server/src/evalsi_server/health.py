"""Whether the process lives, and whether it should be sent requests."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from evalsi.core.engine import current_engine
from evalsi.core.engine.lanes import Lane, lane_of
from evalsi.core.errors import EvalsiError
from evalsi.core.evaluator import Need
from evalsi.core.reward.function import RewardFunction
from evalsi_server.scoring import Scorer
from evalsi_server.specs import Specs

__all__ = ["Health"]


class Health:
    """Answers `/healthz`, `/readyz` and `/metrics`.

    Args:
        specs: what must be scorable for the server to be ready.
        scorer: what must not be draining.
    """

    def __init__(self, specs: Specs, scorer: Scorer) -> None:
        self._specs = specs
        self._scorer = scorer

    async def alive(self, _: Request) -> Response:
        """200 as long as the loop turns."""
        return JSONResponse({"alive": True})

    async def ready(self, _: Request) -> Response:
        """200, or 503 with what is missing and what mends it."""
        reasons = ["the server is ending"] if self._scorer.draining else []
        reasons += await asyncio.to_thread(missing, self._specs.own)
        return JSONResponse({"ready": not reasons, "reasons": reasons}, 503 if reasons else 200)

    async def metrics(self, _: Request) -> Response:
        """The exposition that Prometheus reads."""
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return Response(self._scorer.metrics.text(), media_type=kind)


def missing(functions: list[RewardFunction]) -> list[str]:
    """What the rewards need of this machine and do not have."""
    bounds = [bound for function in functions for bound in function.bounds]
    rungs = {bound.min_isolation for bound in bounds if Need.SANDBOX in bound.needs}
    reasons = []
    for rung in sorted(rungs, key=str):
        try:
            current_engine().ladder.fork(rung)
        except EvalsiError as error:
            reasons.append(str(error))
    if any(bound.needs or lane_of(bound) is Lane.WORKER for bound in bounds):
        try:
            _ = current_engine().launcher  # starts one where the last one died
        except EvalsiError as error:
            reasons.append(str(error))
    return reasons
