"""A reward server on loopback that fails where a test says so, over the real wire format.

with serving(host, [status(503), reset()]) as server:
    reward = load_reward(spec, server=server.url)
"""

from __future__ import annotations

import asyncio
import json
import select
import threading
from collections.abc import Callable, Iterable
from functools import cache

from fault_server import Answer, Asked, FaultServer, raw

from evalsi.core.errors import EvalsiError
from evalsi.core.plugins import PluginHost
from evalsi.core.reward import RewardFunction, load_reward
from evalsi.core.reward.wire import answer_bytes, error_answer, problem_bytes, read_request

__all__ = ["problem", "serving", "until_gone"]


def problem(status: int, kind: str, message: str = "a fault", **headers: str) -> Answer:
    """An answer by which a reward server refuses."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = problem_bytes(kind, message, retryable=status >= 500)
    return raw(body.decode(), status, named)


def until_gone(gone: threading.Event) -> Answer:
    """No answer; sets `gone` when the client has broken its request off."""

    async def wait(writer: asyncio.StreamWriter) -> None:
        poll = select.poll()
        poll.register(writer.get_extra_info("socket").fileno(), select.POLLRDHUP)
        while not poll.poll(0):
            await asyncio.sleep(0.01)
        gone.set()
        raise ConnectionAbortedError

    return wait


def serving(
    host: PluginHost,
    faults: Iterable[Answer] = (),
    fault_of: Callable[[Asked], Answer | None] = lambda _: None,
) -> FaultServer:
    """The server; faults meet, in order, the first requests that hold rollouts.

    Args:
        host: its evaluators.
        faults: what it answers first.
        fault_of: decides by the request, where `faults` are used up.
    """
    waiting = list(faults)
    load = cache(lambda spec: load_reward(json.loads(spec), host=host))

    def choose(asked: Asked) -> Answer:
        if asked.body["rollouts"] and waiting:
            return waiting.pop(0)
        return fault_of(asked) or _scored(asked, load)

    return FaultServer(choose)


def _scored(asked: Asked, load: Callable[[str], RewardFunction]) -> Answer:
    request = read_request(json.dumps(asked.body).encode())
    if isinstance(request.spec, str):
        return problem(404, "unknown-spec", f"no spec is named {request.spec!r}; known: math")
    try:
        function = load(json.dumps(request.spec))
        rows = function.rewards(function.records(request.rollouts))
        status, body = answer_bytes(function, rows, evidence=request.evidence)
    except EvalsiError as error:
        status, body = error_answer(error)
    return raw(body.decode(), status)
