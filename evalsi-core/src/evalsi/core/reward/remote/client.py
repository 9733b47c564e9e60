"""One server as this process asks it: tries, places, and its errors as they are at home."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from evalsi.core.errors import ServerError
from evalsi.core.http import Budgets, Server, retried
from evalsi.core.http.transport import Answer as HttpAnswer
from evalsi.core.reward.remote.pace import Pace
from evalsi.core.reward.remote.settings import RemoteServer
from evalsi.core.reward.wire import (
    Answer,
    NotCarried,
    Problem,
    error_of,
    read_answer,
    read_problem,
    request_bytes,
)

__all__ = ["Client", "Question"]

SCORING: Final = Budgets(
    connect=14, timeout=3, limited=1000, server=10, malformed=4, longest_wait_s=15.0
)
"""About two minutes of a server that is gone: what a restart takes."""

LOADING: Final = replace(SCORING, connect=5, timeout=0, limited=100, server=4)
"""Less, because nothing is lost yet and an address may be mistyped."""

_OWN_CAUSES: Final = {"busy": "limited", "draining": "limited", "deadline": "timeout"}
_OVERLOADS: Final = frozenset({"limited", "timeout"})


@dataclass(frozen=True, slots=True)
class Question:
    """What one request asks.

    Attributes:
        spec: a spec's dict form, or the name of one of the server's.
        names: the rollouts' ids.
        rows: the rollouts, encoded, in the same order.
        ends_at: when the caller no longer waits, by `time.monotonic`.
        budgets: how often it is tried.
    """

    spec: str | Mapping[str, Any]
    names: Sequence[str]
    rows: Sequence[bytes]
    ends_at: float
    budgets: Budgets = SCORING


class Client:
    """Asks one server. For the tasks of one event loop.

    Args:
        server: which one.
    """

    def __init__(self, server: RemoteServer) -> None:
        token = server.token()
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._settings = server
        self._server = Server(server.endpoint, headers, secret=token)
        self._pace = Pace()

    async def answer(self, question: Question) -> Answer:
        """The server's answer, at last.

        Raises:
            ServerError: there was none in time; `refused` where trying again mends nothing.
            EvalsiError: whatever the server's own call raised, as it is here.
        """
        left_s = question.ends_at - time.monotonic()
        budgets = replace(
            question.budgets,
            timeout_s=self._settings.timeout_s,
            deadline_s=round(max(left_s, 0.0), 2),  # it stands in a message
        )
        # One id for all tries: a server that holds the answer, or still works on it, gives it.
        attempt = partial(self._try, question, uuid.uuid4().hex)
        try:
            async with asyncio.timeout(left_s):
                return await retried(attempt, budgets, self._pace.turn)
        except TimeoutError as error:
            what = "gave no answer before the call's deadline"
            raise self._server.error(what, "deadline") from error

    async def _try(self, question: Question, request_id: str, timeout_s: float) -> Answer:
        with self._placed():
            body = request_bytes(
                question.spec,
                question.rows,
                evidence=self._settings.evidence,
                request_id=request_id,
                timeout_s=timeout_s,
            )
            return self._read(await self._server.answer(body, timeout_s), question.names)

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Gives the place of a try back, and says how the server took it."""
        begun = time.monotonic()
        try:
            yield
        except ServerError as error:
            if error.cause in _OVERLOADS or error.status == 503:
                self._pace.overloaded(begun)
            else:
                self._pace.failed()
            raise
        except BaseException:
            self._pace.failed()
            raise
        if time.monotonic() - begun > self._settings.timeout_s / 2:
            self._pace.overloaded(begun)
        else:
            self._pace.answered()

    def _read(self, answer: HttpAnswer, names: Sequence[str]) -> Answer:
        problem = None if answer.status < 300 else read_problem(answer.body)
        if answer.status < 300 or (problem is not None and problem.kind == "reward"):
            try:
                return read_answer(answer.body, names)
            except NotCarried as error:
                what = f"sent an answer that {error}" if answer.body else "sent no body"
                raise self._server.error(what, "malformed") from error
        told = None if problem is None else error_of(problem)
        if told is not None:
            raise told
        raise self._refused(answer, problem)

    def _refused(self, answer: HttpAnswer, problem: Problem | None) -> ServerError:
        error = self._server.refused(answer)
        if problem is not None:
            error.cause = _OWN_CAUSES.get(problem.kind, error.cause)
            error.retryable = problem.retryable or error.cause in _OVERLOADS
        if answer.status == 401:
            return error.again(f"{error}; set the token in {self._settings.token_env}")
        return error
