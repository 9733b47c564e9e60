"""`POST /v1alpha1/rewards:score`: rollouts in, rewards out, as `evalsi rewards score` has them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from evalsi.core.errors import RewardError
from evalsi.core.reward.wire import PATH, ScoreRequest, answer_bytes, read_request
from evalsi_server.bodies import Bodies, aside, while_connected
from evalsi_server.logs import Repeats
from evalsi_server.problems import json_answer
from evalsi_server.scoring import Scorer
from evalsi_server.specs import Specs
from evalsi_server.tries import Tries

__all__ = ["Rewards"]

_LONGEST_S: Final = 3600.0


class Rewards:
    """Answers its requests.

    Args:
        specs: the rewards.
        scorer: what scores.
        bodies: what reads.
        repeats: told of batches that failed.
    """

    def __init__(self, specs: Specs, scorer: Scorer, bodies: Bodies, repeats: Repeats) -> None:
        self._specs = specs
        self._scorer = scorer
        self._bodies = bodies
        self._repeats = repeats
        self._tries = Tries()

    async def score(self, request: Request) -> Response:
        """One request; a try of a request that was sent before gets that one's answer."""
        begun = asyncio.get_running_loop().time()
        by_s = begun + self._scorer.limits.deadline_s
        with await self._bodies.read(request, by_s) as body:
            asked = await aside(len(body), partial(read_request, body))
            if asked.timeout_s is not None:
                by_s = begun + min(asked.timeout_s, _LONGEST_S)
            key = asked.request_id or request.headers.get("idempotency-key", "")
            answer = partial(self._answer, asked, by_s, len(body))
            if not key:
                return await while_connected(request, answer())
            digest = await aside(len(body), asked.digest)
            return await self._tries.answer(key, digest, answer)

    async def _answer(self, asked: ScoreRequest, by_s: float, size: int) -> Response:
        if isinstance(asked.spec, Mapping):
            served = await self._specs.sent(asked.spec)
        else:
            served = self._specs.named(asked.spec)
        rows = await self._scorer.settled(served, asked.rollouts, by_s)
        if causes := [cause for row in rows for cause in row.causes]:
            self._repeats.warn(f"POST {PATH}", str(RewardError(causes)))
        told = partial(answer_bytes, served.function, rows, evidence=asked.evidence)
        return json_answer(*await aside(size, told))
