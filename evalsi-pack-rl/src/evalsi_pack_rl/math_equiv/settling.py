"""What the tiers leave undecided, put to the backend: once a batch, each pair once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from evalsi.core.results import Failure
from evalsi_pack_rl.math_equiv.symbolic import MathVerify, Symbolic, SymbolicAnswer
from evalsi_pack_rl.math_equiv.verdict import Verdict

if TYPE_CHECKING:
    from evalsi.core.workers import Workers

__all__ = ["Candidate", "Pending", "Settled", "Settling"]

_MOST_KEPT: Final = 4096

Settled: TypeAlias = "SymbolicAnswer | Failure"


class Candidate(NamedTuple):
    """One accepted answer, and what the tiers said about it."""

    expected: str
    verdict: Verdict


class Pending(NamedTuple):
    """An answer that the tiers did not decide.

    Attributes:
        answer: the extracted answer.
        source: where it stood.
        candidates: the accepted answers that it may equal.
    """

    answer: str
    source: str
    candidates: tuple[Candidate, ...]


class Settling:
    """The symbolic tier of one evaluator. Safe from many threads.

    Args:
        backend: `auto`, `sympy` or `math-verify`.
        workers: where the library runs.
    """

    def __init__(self, backend: str, workers: Workers) -> None:
        self.asks_texts = backend == "math-verify"
        self._library = MathVerify(workers) if self.asks_texts else Symbolic(workers)
        self._known: dict[object, SymbolicAnswer] = {}

    def settled(self, pending: Sequence[Pending]) -> list[list[Settled]]:
        """For each pending answer, what the backend says of each of its candidates."""
        asked = [[self._questions(one.answer, it) for it in one.candidates] for one in pending]
        known = self._answers({pair for one in asked for pairs in one for pair in pairs})
        return [[_together([known[pair] for pair in pairs]) for pairs in one] for one in asked]

    def _questions(self, answer: str, candidate: Candidate) -> tuple[object, ...]:
        if self.asks_texts:
            return ((candidate.expected, answer),)
        return candidate.verdict.open

    def _answers(self, pairs: set[object]) -> dict[object, Settled]:
        found: dict[object, Settled] = {}
        for pair in pairs:
            kept = self._known.get(pair)
            if kept is not None:
                found[pair] = kept
        new = [pair for pair in pairs if pair not in found]
        answers = self._library.equal(new) if new else []  # type: ignore[arg-type]
        for pair, answer in zip(new, answers, strict=True):
            found[pair] = answer
            if isinstance(answer, SymbolicAnswer) and answer.stable:
                self._keep(pair, answer)
        return found

    def _keep(self, pair: object, answer: SymbolicAnswer) -> None:
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        self._known[pair] = answer


def _together(answers: Sequence[Settled]) -> Settled:
    """Equal when all are; a failure when one failed and none is different."""
    found = [answer for answer in answers if isinstance(answer, SymbolicAnswer)]
    for answer in found:
        if answer.decision == "no":
            return answer
    for failed in answers:
        if isinstance(failed, Failure):
            return failed
    undecided = [answer for answer in found if answer.decision == "undecided"]
    unstable = [answer for answer in undecided if not answer.stable]
    return (unstable or undecided or found)[0]
