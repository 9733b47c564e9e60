"""The contract of worker processes for an evaluator's own functions.

    class Careful:
        needs = frozenset({Need.WORKERS})
        bounded = True

        def __init__(self, params, tools):
            self._workers = tools.workers

        def score_batch(self, records):
            texts = [record.output for record in records]
            answers = self._workers.map("acme_pack.slow:check", texts, deadline_s=2.0)
            return [to_score(answer) for answer in answers]

What may hang, crash or eat memory runs there, one payload at a time; the evaluator itself stays
in its caller's thread and asks for many payloads at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from evalsi.core.results import JSON, Failure

__all__ = ["Faulted", "OutOfMemory", "Reply", "TimedOut", "WorkerAnswer", "Workers"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the function returned."""

    value: JSON


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The payload had its seconds and its worker was killed; it may end in time elsewhere."""

    seconds: float


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """The payload needs more memory than a worker may have, also in a fresh one."""

    memory_mb: int


@dataclass(frozen=True, slots=True)
class Faulted:
    """Nothing was found out: the function raised, or its process ended twice, or did not start.

    The failure belongs into an `Errored`; a number made of it would be an outage told as a score.
    """

    failure: Failure


WorkerAnswer: TypeAlias = Reply | TimedOut | OutOfMemory | Faulted


class Workers(Protocol):
    """What an evaluator with `Need.WORKERS` gets. Safe from many threads."""

    def map(
        self,
        function: str,
        payloads: Sequence[JSON],
        *,
        deadline_s: float,
        memory_mb: int = 1024,
        warm_up: str = "",
    ) -> list[WorkerAnswer]:
        """Calls a function with each payload in warm worker processes; answers in their order.

        Blocks until all are answered; a coroutine awaits it through `asyncio.to_thread`.

        Args:
            function: "package.module:function"; takes a payload, returns plain data.
            payloads: plain data, each at best small: it travels as JSON.
            deadline_s: seconds for each payload, from when a worker has it; then that worker is
                killed from outside. One that wants to run and that a busy machine gave less gets
                the rest, within ten times as long. A spec's `deadlineSeconds` bounds it all.
            memory_mb: MiB of writable memory of a worker, what it has imported included.
            warm_up: "package.module:function", called once without arguments before workers are
                forked and before any clock runs: the place to import what is slow to import.

        Raises:
            TypeError: a payload is not plain data.
            EngineError: the batch was stopped meanwhile.
        """
        ...
