"""The evaluator: extract from completion and reference, compare, say why."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Final, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from evalsi.core.errors import DataError
from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import JSON, Errored, Failure, Score, Skipped
from evalsi_pack_rl.math_equiv.extract import extract
from evalsi_pack_rl.math_equiv.ladder import Ladder
from evalsi_pack_rl.math_equiv.references import accepted
from evalsi_pack_rl.math_equiv.settling import Candidate, Pending, Settled, Settling
from evalsi_pack_rl.math_equiv.symbolic import SymbolicAnswer, backend_name, missing
from evalsi_pack_rl.math_equiv.verdict import LENIENCIES, Leniency

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["MathEquiv", "MathEquivParams"]

_LOG: Final = logging.getLogger("evalsi")
_EXCERPT: Final = 200
_REFERENCES: Final = 4096

_NO_REFERENCE: Final = Skipped("the rollout has no reference")
_WORKERS: Final = frozenset({Need.WORKERS})
_NONE: Final = frozenset[Need]()

Backend = Literal["auto", "plain", "sympy", "math-verify"]


def _installed(backend: Backend) -> Backend:
    lacks = missing(backend)
    if lacks and backend != "auto":
        raise ValueError(lacks)
    return backend


class MathEquivParams(BaseModel):
    """How the answer is found and compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fallback: Literal["last-number", "none"] = Field(
        default="last-number",
        description="What counts as the answer when no box, tag, marker or phrase gives one.",
    )
    backend: Annotated[Backend, AfterValidator(_installed)] = Field(
        default="auto",
        description="What decides where our own tiers do not; `auto` is sympy if it is there.",
    )
    refuse: tuple[Leniency, ...] = Field(
        default=(), description="What is accepted by default, and shall not be."
    )


class MathEquiv:
    """1 when the final answer equals the reference, else 0.

    Integers and rationals are compared exactly, whatever their spelling; structures by their
    parts; expressions by a canonical form; and what that leaves open by the backend. Skipped when
    the rollout has no reference, or an empty one. The score is the same on every machine and in
    every thread, except where a backend ran out of time or memory: that one is marked unstable.
    """

    Params = MathEquivParams
    reads = ("output", "reference")
    bounded = True

    @staticmethod
    def needs(params: MathEquivParams) -> frozenset[Need]:
        """Workers, where there is a library to run in them."""
        return _WORKERS if backend_name(params.backend) else _NONE

    @staticmethod
    def backend(params: MathEquivParams) -> str:
        """The library that decides last, with its version."""
        return backend_name(params.backend)

    def __init__(self, params: MathEquivParams, tools: Tools) -> None:
        self._last_number = params.fallback == "last-number"
        self._accepted = lru_cache(_REFERENCES)(accepted)
        self._ladder = Ladder(LENIENCIES.difference(params.refuse))
        self._settling = None
        if tools.workers is not None and backend_name(params.backend):
            self._settling = Settling(params.backend, tools.workers)
        self._lacks = missing(params.backend)
        if self._lacks:
            _LOG.warning("math-equiv leaves some expressions undecided: %s", self._lacks)

    def score_batch(self, records: Sequence[Record]) -> Sequence[Answer]:
        """The verdicts; evidence holds the answer, the reference, the tier and a reason code."""
        answers = [self._answer(record.output, record.reference) for record in records]
        pending = [answer for answer in answers if isinstance(answer, Pending)]
        if not pending:
            return cast("list[Answer]", answers)
        settled = iter(self._settled(pending))
        return [next(settled) if isinstance(answer, Pending) else answer for answer in answers]

    def _answer(self, output: str, reference: JSON) -> Answer | Pending:
        try:
            expected = self._expected(reference)
        except DataError as error:
            return Errored(Failure.of(error))
        if not expected:
            return _NO_REFERENCE
        answer, source, reason = extract(output, last_number=self._last_number)
        if answer is None:
            evidence = _evidence(None, expected[0], source, "extraction", reason)
            return Score(0.0, reason=reason, evidence=evidence)
        candidates = []
        for text in expected:
            verdict = self._ladder.verdict(text, answer)
            decision, tier, reason, _ = verdict
            if decision == "yes":
                evidence = _evidence(answer, text, source, tier, reason)
                return Score(1.0, reason=reason, evidence=evidence)
            if decision == "undecided" or self._asks_again(reason):
                candidates.append(Candidate(text, verdict))
        if candidates:
            return Pending(answer, source, tuple(candidates))
        return Score(0.0, reason=reason, evidence=_evidence(answer, text, source, tier, reason))

    def _expected(self, reference: JSON) -> tuple[str, ...]:
        return self._accepted(reference) if isinstance(reference, str) else accepted(reference)

    def _asks_again(self, reason: str) -> bool:
        """Whether the backend has a parser of its own for what ours did not read."""
        settling = self._settling
        return settling is not None and settling.asks_texts and reason.startswith("not-read")

    def _settled(self, pending: Sequence[Pending]) -> list[Answer]:
        if self._settling is None:
            return [self._undecided(one) for one in pending]
        found = self._settling.settled(pending)
        return [_of_backend(one, said) for one, said in zip(pending, found, strict=True)]

    def _undecided(self, pending: Pending) -> Score:
        expected, verdict = pending.candidates[0]
        reason = verdict.reason
        evidence = _evidence(pending.answer, expected, pending.source, verdict.tier, reason)
        if self._lacks:
            evidence["hint"] = self._lacks
        return Score(0.0, reason=reason, evidence=evidence)


def _of_backend(pending: Pending, said: Sequence[Settled]) -> Answer:
    """The score that the backend's answers about a pending one stand for."""
    answers = []
    for settled, (expected, _) in zip(said, pending.candidates, strict=True):
        if isinstance(settled, SymbolicAnswer):
            if settled.decision == "yes":
                return _symbolic(1.0, pending, expected, settled)
            answers.append(settled)
    for settled in said:
        if isinstance(settled, Failure):
            return Errored(settled)
    told = next((one for one in answers if not one.stable), answers[0])
    return _symbolic(0.0, pending, pending.candidates[0].expected, told)


def _symbolic(value: float, pending: Pending, expected: str, told: SymbolicAnswer) -> Score:
    evidence = _evidence(pending.answer, expected, pending.source, "symbolic", told.reason)
    return Score(value, reason=told.reason, evidence=evidence, stable=told.stable)


def _evidence(
    answer: str | None, expected: str, source: str, tier: str, reason: str
) -> dict[str, JSON]:
    return {
        "predicted": answer if answer is None or len(answer) <= _EXCERPT else answer[:_EXCERPT],
        "expected": expected if len(expected) <= _EXCERPT else expected[:_EXCERPT],
        "source": source,
        "tier": tier,
        "reason": reason,
    }
