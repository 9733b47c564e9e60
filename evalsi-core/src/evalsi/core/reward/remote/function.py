"""The reward whose evaluators a server runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from evalsi.core.engine import Stop
from evalsi.core.errors import ServerError, SpecError
from evalsi.core.records import Record, Rollout
from evalsi.core.results import By, ComponentResult, Errored, Failure, Reward
from evalsi.core.reward.loaded import LoadedReward, Settled, rewards_of
from evalsi.core.reward.remote.batches import MOST_ROWS, batches_of
from evalsi.core.reward.remote.client import Client, Question
from evalsi.core.reward.remote.process import begin
from evalsi.core.reward.remote.settings import RemoteServer
from evalsi.core.reward.remote.travelling import Travelling, travelling
from evalsi.core.reward.wire import Answer, Description

__all__ = ["RemoteReward"]

_TOO_LARGE: Final = 413
_OUTAGES: Final = frozenset({"connect", "timeout", "limited", "server", "malformed", "deadline"})


class RemoteReward(LoadedReward):
    """What `load_reward` gives with a server; pickles as its spec and server, without a token.

    While the server gives no answer there is no number: under `onError: raise` a call raises
    `ServerError`; under `zero` and `none` the rollouts of the request that failed have no total,
    not even the floor of a gate, and every component of theirs is errored with the kind `server`.

    Args:
        spec: the spec's dict form, or the name of one of the server's.
        server: who scores.
        description: what the server says of the spec.
        by: who computes each component there, as far as it is known before anything ran.
    """

    chunk = MOST_ROWS
    in_flight = 16

    def __init__(
        self,
        spec: str | Mapping[str, Any],
        server: RemoteServer,
        description: Description,
        by: Mapping[str, By],
    ) -> None:
        super().__init__(description.terms, description.rule, description.grouped)
        self.server = server
        self._spec = spec
        self._description = description
        self._by = dict(by)

    @property
    def by(self) -> Mapping[str, By]:
        """Who computes each component, as the server said when the reward was loaded."""
        return self._by

    @property
    def waits(self) -> bool:
        """True: a batch waits for the server."""
        return True

    async def ascore(self, rollouts: Iterable[Rollout]) -> list[Reward]:
        """As `score`, without blocking the loop; a cancelled call breaks its requests off."""
        settled = await asyncio.wrap_future(self._begun(self.records(rollouts)))
        return rewards_of(settled)

    def record(self, rollout: Rollout, number: int) -> Travelling:
        """As `LoadedReward.record`; raises `DataError` also for what JSON cannot carry."""
        return self._travelling(super().record(rollout, number))

    def rewards(self, records: Sequence[Record], stop: Stop | None = None) -> list[Settled]:
        """Reward and total of every record; errors are left for the caller to raise.

        Raises:
            ServerError: as the class says.
            SpecError: the server has changed the spec, or a version, since it was loaded.
        """
        call = self._begun(records)
        with (stop or Stop()).batch() as batch:
            batch.add(_Call(call))
            return call.result()

    def _begun(self, records: Sequence[Record]) -> Future[list[Settled]]:
        """Starts the requests of a batch."""
        sent = [
            record if isinstance(record, Travelling) else self._travelling(record)
            for record in records
        ]
        batches = batches_of(sent, self.terms, grouped=self.grouped)
        ends_at = time.monotonic() + self.server.deadline_s
        return begin(self.server, partial(self._gathered, sent, batches, ends_at))

    def _travelling(self, record: Record) -> Travelling:
        return travelling(record, self._description.reads, self.terms.reference_field)

    async def _gathered(
        self,
        sent: Sequence[Travelling],
        batches: Sequence[Sequence[int]],
        ends_at: float,
        client: Client,
    ) -> list[Settled]:
        """What the server makes of every record; a request that fails for good ends the others."""
        settled: dict[int, Settled] = {}

        async def one(batch: Sequence[int]) -> None:
            part = [sent[index] for index in batch]
            settled.update(zip(batch, await self._settled(part, ends_at, client), strict=True))

        asked = [asyncio.create_task(one(batch)) for batch in batches]
        try:
            await asyncio.gather(*asked)
        finally:
            for task in asked:
                task.cancel()
        return [settled[index] for index in range(len(sent))]

    async def _settled(
        self, part: Sequence[Travelling], ends_at: float, client: Client
    ) -> Sequence[Settled]:
        names, rows = [record.id for record in part], [record.row for record in part]
        try:
            answer = await client.answer(Question(self._spec, names, rows, ends_at))
        except ServerError as error:
            if error.status == _TOO_LARGE and len(part) > 1 and not self.grouped:
                middle = len(part) // 2
                before = await self._settled(part[:middle], ends_at, client)
                return [*before, *await self._settled(part[middle:], ends_at, client)]
            if self.rule.on_error == "raise" or error.cause not in _OUTAGES:
                raise
            return [self._unmeasured(name, Failure.of(error)) for name in names]
        self._require_same(answer)
        return answer.settled

    def _require_same(self, answer: Answer) -> None:
        """Refuses numbers of a spec or a version that is not the one which was loaded."""
        if answer.description.terms.fingerprint != self.terms.fingerprint:
            raise self._changed(f"its spec {self.terms.name!r}")
        for name, by in answer.by.items():
            if replace(by, rung="") != replace(self._by[name], rung=""):
                now = f"{by.distribution} {by.version} {by.backend}".rstrip()
                raise self._changed(f"who computes {name!r} (now {now})")

    def _changed(self, what: str) -> SpecError:
        return SpecError(
            f"{self.server.url} has changed {what} since the reward was loaded; load it again, so "
            f"that numbers of two kinds do not mix unseen"
        )

    def _unmeasured(self, name: str, failure: Failure) -> Settled:
        """A rollout that the server did not see: no number, whatever the rule says of errors."""
        components = [ComponentResult(part, Errored(failure), by) for part, by in self._by.items()]
        return Settled(Reward(name, None, False, tuple(components)), [])

    def __reduce__(self) -> tuple[Any, ...]:
        # Loading anew would ask the server: a worker that starts while it is away needs nothing.
        return RemoteReward, (self._spec, self.server, self._description, self._by)


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """Requests under way, as `Stop` ends them."""

    future: Future[list[Settled]]

    def wait(self) -> None:
        """Waits for their end."""
        self.future.result()

    def cancel(self) -> None:
        """Breaks them off."""
        self.future.cancel()
