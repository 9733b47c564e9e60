"""The evaluator: a record's number from a served reward model, or an error with its cause."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from evalsi.core.chat.client import key_of
from evalsi.core.errors import DataError, ServerError
from evalsi.core.evaluator import Answer, Batch, Direction, Need, Tools
from evalsi.core.http import Budgets, Server
from evalsi.core.judge.turns import Places
from evalsi.core.results import Errored, Failure, Score
from evalsi_pack_rl.reward_model.asking import Asked, Given, RewardServer
from evalsi_pack_rl.reward_model.params import RewardModelParams
from evalsi_pack_rl.reward_model.wires import Row, wire_of

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["RewardModel"]

_METRICS: Final[dict[str, Direction]] = {"reward-model": "higher", "reward-model.raw": "higher"}
_MARGIN_S: Final = 5.0
_MODEL_CHARACTERS: Final = 200


class RewardModel:
    """The score of a served reward model, as the model gives it or through a sigmoid.

    Records that come together go in one call, whoever brings them. A record that the server
    refuses, and one whose number is not finite, errs alone; an outage is an error of every record
    in the call, never a number. Scores are not kept for later: which model answers at an address
    is the server's affair, and the same text may score a little differently in other company.
    """

    Params = RewardModelParams
    needs = frozenset({Need.HTTP})
    bounded = True
    metrics = _METRICS

    @staticmethod
    def reads(params: RewardModelParams) -> tuple[str, ...]:
        """What the protocol sends: prompt and completion, and for OpenRLHF the reference."""
        return wire_of(params).reads

    @staticmethod
    def batch(params: RewardModelParams) -> Batch:
        """As the params say."""
        return Batch(params.max_batch, params.wait_ms)

    @staticmethod
    def backend(params: RewardModelParams) -> str:
        """The model's name, where the params give one, and the protocol."""
        return f"{params.model} over {params.api}" if params.model else params.api

    @staticmethod
    def patience_s(params: RewardModelParams) -> float:
        """A little more than its own deadline, so that failures are told with their cause."""
        return params.deadline_s + _MARGIN_S

    def __init__(self, params: RewardModelParams, tools: Tools) -> None:  # noqa: ARG002
        key = key_of(params.api_key_env)
        headers = {"authorization": f"Bearer {key}"} if key else {}
        server = Server(params.endpoint, headers, secret=key)
        self._params = params
        self._wire = wire_of(params)
        self._server = RewardServer(server, self._wire, _budgets(params))
        self._places = Places(params.concurrency)

    async def ascore_batch(self, records: Sequence[Record]) -> list[Answer]:
        """One answer a record; the records of a call go in one request."""
        rows = [self._row(record) for record in records]
        sent = [row for row in rows if not isinstance(row, Errored)]
        async with self._places.one():
            found = iter(await self._server.ask(sent) if sent else ())
        return [row if isinstance(row, Errored) else self._answer(next(found)) for row in rows]

    def _row(self, record: Record) -> Row | Errored:
        try:
            return self._wire.row(record)
        except DataError as error:
            return Errored(Failure.of(error))

    def _answer(self, asked: Asked) -> Answer:
        if isinstance(asked, ServerError):
            return Errored(Failure.of(asked))
        raw = _number(asked.value)
        if raw is None:
            return _no_number(asked)
        value = raw if self._params.activation == "raw" else _sigmoid(raw)
        model = asked.model[:_MODEL_CHARACTERS] or self._params.model
        evidence = {"raw": raw, "api": self._params.api, "model": model}
        return Score(value, {"reward-model.raw": raw}, evidence=evidence, stable=False)


def _budgets(params: RewardModelParams) -> Budgets:
    tries = params.retries
    return Budgets(
        tries.connect,
        tries.timeout,
        tries.limited,
        tries.server,
        tries.malformed,
        params.timeout_s,
        params.deadline_s,
    )


def _number(value: Any) -> float | None:
    """The finite number that a value is, or that is alone in it; else None."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer that no float can hold
        return None
    return number if math.isfinite(number) else None


def _no_number(given: Given) -> Errored:
    value = given.value
    if isinstance(value, list):
        told = f"{len(value)} values; a reward model gives one (num_labels=1)"
    else:
        plain = value is None or isinstance(value, bool | int | float)
        told = f"{repr(value)[:40] if plain else type(value).__name__}; a reward is a finite number"
    return Errored(Failure("server", f"the reward model gave {told}"))


def _sigmoid(raw: float) -> float:
    """1 / (1 + e^-raw), without overflow."""
    if raw >= 0:
        return 1.0 / (1.0 + math.exp(-raw))
    small = math.exp(raw)
    return small / (1.0 + small)
