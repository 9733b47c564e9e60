"""`POST /get_reward`: OpenRLHF's remote reward protocol.

It sends a request a rollout, tries five times a second apart whatever the status was, and gives
up a try after 180 s.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from evalsi.core.errors import DataError, RewardError, SpecError
from evalsi.core.records import Rollout
from evalsi.core.reward.function import RewardFunction
from evalsi.core.reward.loaded import Settled
from evalsi.core.reward.openrlhf import RESERVED, answer_of, rollout_of
from evalsi.core.reward.wire.json_bytes import NotCarried, decoded
from evalsi_server.bodies import Bodies, aside, while_connected
from evalsi_server.problems import json_answer
from evalsi_server.scoring import Scorer
from evalsi_server.specs import Specs

__all__ = ["OpenRLHF", "unfit"]


class OpenRLHF:
    """Answers its requests.

    Args:
        specs: the rewards, chosen by path or `?spec=`.
        scorer: what scores.
        bodies: what reads.
        missing: what stands for a missing total; None: such a request fails.
    """

    def __init__(self, specs: Specs, scorer: Scorer, bodies: Bodies, missing: float | None) -> None:
        self._specs = specs
        self._scorer = scorer
        self._bodies = bodies
        self._missing = missing

    async def get_reward(self, request: Request) -> Response:
        """One request."""
        by_s = asyncio.get_running_loop().time() + self._scorer.limits.deadline_s
        name = request.path_params.get("name") or request.query_params.get("spec")
        served = self._specs.named(name)
        function = served.function
        if why := unfit(function):
            raise SpecError(why)
        with await self._bodies.read(request, by_s) as body:
            read = partial(_rollouts, body, function.terms.reference_field)
            rollouts = await aside(len(body), read)
            scored = self._scorer.settled(served, rollouts, by_s)
            rows = await while_connected(request, scored)
            told = await aside(len(body), partial(self._told, function.components, rows))
        return json_answer(200, told)

    def _told(self, components: Sequence[str], rows: Sequence[Settled]) -> bytes:
        causes = [cause for row in rows for cause in row.causes]
        if causes:
            raise RewardError(causes)
        answer = answer_of(components, [row.reward for row in rows], self._missing)
        # It may hold NaN, which JSON has no word for: OpenRLHF's own reader takes it, and no null.
        return json.dumps(answer).encode()


def unfit(function: RewardFunction) -> str:
    """Why OpenRLHF cannot use a reward; "" where it can."""
    if taken := sorted(RESERVED.intersection(function.components)):
        names = ", ".join(taken)
        return f"OpenRLHF logs something else as {names}; give the component another `name`"
    if function.grouped:
        return (
            "OpenRLHF sends one rollout a request, so an evaluator that compares all rollouts of "
            "a prompt cannot work there; take it out of the spec"
        )
    return ""


def _rollouts(body: bytes, reference_field: str | None) -> list[Rollout]:
    try:
        asked = decoded(body)
    except NotCarried as error:
        raise DataError(f"the request {error}") from error
    if not isinstance(asked, Mapping):
        raise DataError("the request is no JSON object; it needs `query`, a list of texts")
    queries = _texts(asked, "query")
    if queries is None:
        raise DataError("the request has no `query`; it is a list of texts, prompt and response")
    count = len(queries)
    nothing: list[None] = [None] * count
    prompts: Sequence[str | None] = _texts(asked, "prompts", count) or nothing
    labels: Sequence[object] = _listed(asked, "labels", count) or nothing
    rows = zip(queries, prompts, labels, strict=True)
    return [rollout_of(query, prompt, label, reference_field) for query, prompt, label in rows]


def _texts(asked: Mapping[str, Any], name: str, count: int | None = None) -> Sequence[str] | None:
    found = _listed(asked, name, count)
    for place, text in enumerate(found or ()):
        if not isinstance(text, str):
            raise DataError(f"`{name}[{place}]` is {type(text).__name__}; it must be text")
    return found


def _listed(asked: Mapping[str, Any], name: str, count: int | None) -> list[Any] | None:
    found = asked.get(name)
    if found is None:
        return None
    if not isinstance(found, list):
        raise DataError(f"`{name}` is {type(found).__name__}; it must be a list")
    if count is not None and len(found) != count:
        raise DataError(f"`{name}` has {len(found)} entries for {count} of `query`")
    return found
