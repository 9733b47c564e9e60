"""What several trials of one record come to: their mean, pass@k, pass^k, any, all.

A trial passes when its value is 1 or more, full marks. What was not measured is no failure: where
the missing trials could decide the answer, there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from evalsi.core.results import Errored, Result, Score
from evalsi.core.stats import pass_at_k, pass_hat_k
from evalsi.core.stats.moments import moments

__all__ = ["MEAN", "Outcome", "Reduction", "metric_and_reduction", "outcome_of", "reduced"]

_Kind: TypeAlias = Literal["mean", "pass@", "pass^", "any", "all"]
_SUFFIX: Final = re.compile(r"(.+)\.(?:(pass[@^])([1-9][0-9]{0,8})|(any|all))", re.DOTALL)


class Reduction(NamedTuple):
    """How a record's trials become one value; `k` belongs to `pass@` and `pass^`."""

    kind: _Kind
    k: int = 0

    def of(self, metric: str) -> str:
        """The name of the metric that this makes of another."""
        return metric if self.kind == "mean" else f"{metric}.{self.kind}{self.k or ''}"


MEAN: Final = Reduction("mean")


class Outcome(NamedTuple):
    """What one metric says of one record, over its trials.

    Attributes:
        mean: of the measured trials; 0.0 where none was, so look at `scored` first.
        scored: trials that were measured.
        passed: trials among them with full marks.
        skipped: trials to which the evaluator, or this metric of it, did not apply.
        errors: trials that failed to be measured.
        empty: whether a measured trial's output was empty.
    """

    mean: float
    scored: int
    passed: int
    skipped: int
    errors: int
    empty: bool


def metric_and_reduction(name: str) -> tuple[str, Reduction]:
    """The parts of a metric's name: `math-equiv.pass@8` is `math-equiv` reduced by pass@8."""
    found = _SUFFIX.fullmatch(name)
    if found is None:
        return name, MEAN
    metric, passing, k, word = found.groups()
    return metric, Reduction(cast("_Kind", passing or word), int(k or 0))


def outcome_of(results: Sequence[Result], empty: Sequence[bool], metric: str | None) -> Outcome:
    """The outcome of one evaluator's results, one a trial.

    Args:
        results: of one record.
        empty: for each result, whether its output was empty.
        metric: a further metric of the scores; None: their value. A score that does not report
            the metric is one to which the metric does not apply.
    """
    values, skipped, errors, blank = [], 0, 0, False
    for result, was_empty in zip(results, empty, strict=True):
        if isinstance(result, Score):
            value = result.value if metric is None else result.metrics.get(metric)
            if value is None:
                skipped += 1
                continue
            values.append(value)
            blank = blank or was_empty
        elif isinstance(result, Errored):
            errors += 1
        else:
            skipped += 1
    passed = sum(value >= 1 for value in values)
    return Outcome(_mean(values), len(values), passed, skipped, errors, blank)


def reduced(outcome: Outcome, how: Reduction) -> float | None:
    """The record's one value; None where the measured trials do not decide it.

    Fewer measured trials than k leave pass@k and pass^k undefined. `any` is 1 with one pass, and 0
    only when every trial was measured; `all` is 0 with one failure, and 1 only when every one was.
    """
    scored, passed = outcome.scored, outcome.passed
    whole = not (outcome.skipped or outcome.errors)
    match how.kind:
        case "mean":
            return outcome.mean if scored else None
        case "pass@":
            return pass_at_k(scored, passed, how.k)
        case "pass^":
            return pass_hat_k(scored, passed, how.k)
        case "any":
            return 1.0 if passed else 0.0 if whole else None
        case "all":
            return 0.0 if passed < scored else 1.0 if whole else None


def _mean(values: Sequence[float]) -> float:
    if len(values) > 1:
        return moments(values).mean
    return values[0] if values else 0.0
