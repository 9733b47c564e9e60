"""Stops a run that can have no verdict any more because what it asks is down.

Two things must hold: the errors exceed `maxErrorRate` whatever comes, and nothing was got for a
while. A few failures stop nothing, and neither does a server that fails now and then: what it
gives is worth having, and the run that is started again asks for the rest.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import EvalsiError
from evalsi.core.results import INFRASTRUCTURE, Errored, Failure

if TYPE_CHECKING:
    from evalsi.core.run.tally import Outcome

__all__ = ["NOT_MEASURED", "Breaker", "RunStopped"]

NOT_MEASURED: Final = Errored(
    Failure("server", "not measured: the run was stopped before", retryable=True)
)
"""What a run that was stopped has in the place of what it did not get."""

_IN_A_ROW: Final = 16
_LONGEST_CAUSE: Final = 500


class RunStopped(EvalsiError):  # noqa: N818 - a stop, whatever the error behind it
    """A run that was stopped, because what it asks is down.

    Attributes:
        outcome: what it comes to, without a verdict: what was not measured is an error.
    """

    kind = "server"
    outcome: Outcome


class Breaker:
    """Watches what a run gets.

    Args:
        total: outputs of the whole run.
        max_error_rate: the share of errors up to which there is a verdict.
        concurrency: requests in flight, which a server takes down with it.
    """

    def __init__(self, total: int, max_error_rate: float, concurrency: int) -> None:
        self._total, self._rate = total, max_error_rate
        self._patience = max(_IN_A_ROW, concurrency)
        self._errors: Counter[str] = Counter()
        self._in_a_row: Counter[str] = Counter()
        self._causes: dict[str, Counter[str]] = {}

    def saw(self, whose: str, result: object) -> None:
        """Takes in an output, or an evaluator's result.

        Args:
            whose: who gave it: the target, or an evaluator by its name.
            result: what it gave.

        Raises:
            RunStopped: the run can have no verdict, and `whose` is down.
        """
        if not isinstance(result, Errored) or not _is_outage(result.failure):
            self._in_a_row[whose] = 0
            return
        self._errors[whose] += 1
        self._in_a_row[whose] += 1
        causes = self._causes.setdefault(whose, Counter())
        causes[str(result.failure)[:_LONGEST_CAUSE]] += 1
        hopeless = self._errors[whose] > self._rate * self._total
        if hopeless and self._in_a_row[whose] >= self._patience:
            raise RunStopped(self._told(whose))

    def _told(self, whose: str) -> str:
        (cause, _), *_ = self._causes[whose].most_common(1)
        return (
            f"stopped: {self._errors[whose]} of {self._total} results of {whose} are errors, the "
            f"last {self._in_a_row[whose]} without a break, so that there can be no verdict "
            f"(maxErrorRate is {self._rate:.1%}); most often: {cause}. Mend that and start the "
            f"run again: with the same --out it goes on where it stood"
        )


def _is_outage(failure: Failure) -> bool:
    """Whether it says nothing of the record: another try of the same may succeed."""
    return failure.kind in INFRASTRUCTURE and failure.retryable
