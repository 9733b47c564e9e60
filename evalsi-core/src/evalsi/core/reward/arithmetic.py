"""From component results to a total: five rules in a fixed order, as a pure function.

`testdata/reward_vectors.json` states every case; whatever computes a reward goes through here, so
that the same spec gives the same number everywhere. Nothing here knows a spec, a file or a clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from evalsi.core.errors import RewardError
from evalsi.core.results import Errored, Failure, Result, Score

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["OnError", "Rule", "Total", "Weighing", "settle", "total"]

OnError: TypeAlias = Literal["raise", "zero", "none"]


@dataclass(frozen=True, slots=True)
class Weighing:
    """How one component enters the total.

    Attributes:
        name: the component's name, unique in its rule.
        weight: any finite number.
        gate: whether a value below `threshold`, or none at all, makes the total the floor.
        threshold: the least value that passes the gate.
    """

    name: str
    weight: float = 1.0
    gate: bool = False
    threshold: float = 1.0


@dataclass(frozen=True, slots=True)
class Rule:
    """What a spec says about its total; every number in it is finite.

    Attributes:
        weighings: one for each component, in the order of the results.
        floor: the total behind a failed gate; not clipped.
        on_error: what an errored component does to the total.
        clip: least and greatest weighted sum.
    """

    weighings: tuple[Weighing, ...]
    floor: float = 0.0
    on_error: OnError = "raise"
    clip: tuple[float, float] | None = None


class Total(NamedTuple):
    """One rollout's total.

    Attributes:
        total: the number to train on, never -0.0; None when there is none.
        gated: whether a gate made it the floor.
        causes: component and failure of whatever fails the batch: the errored components under
            `raise`, or a sum that no float holds under `raise` and `zero`; else empty.
    """

    total: float | None
    gated: bool = False
    causes: tuple[tuple[str, Failure], ...] = ()


_NO_TOTAL: Final = Total(None)


def settle(rule: Rule, rows: Sequence[tuple[str, Sequence[Result]]]) -> list[Total]:
    """The totals of a batch, in its order; a row is a rollout's id and its results.

    Raises:
        RewardError: a row has causes; the error names those of all rows.
    """
    totals = [total(rule, results) for _, results in rows]
    causes = [
        (row, name, failure)
        for (row, _), settled in zip(rows, totals, strict=True)
        for name, failure in settled.causes
    ]
    if causes:
        raise RewardError(causes)
    return totals


def total(rule: Rule, results: Sequence[Result]) -> Total:
    """One rollout's total, by the first rule that applies.

    1. An errored component under `raise`: no total, and causes.
    2. A gate below its threshold, skipped or errored: the floor, unclipped.
    3. An errored component under `none`: no total. (Under `zero` it adds nothing.)
    4. The sum of weight times value over the scored components, then `clip`.
    5. Nothing scored: there is no sum, and no total.

    A score whose value, or weight times value, is not finite is an errored component. The sum is
    the exact one, rounded once: the order of the components does not change it.

    Args:
        rule: what the spec says.
        results: one for each of `rule.weighings`, in their order.
    """
    parts: list[float] = []
    failed: list[tuple[str, Failure]] = []
    closed = False
    for weighing, result in zip(rule.weighings, results, strict=True):
        if isinstance(result, Score):
            # Not finite too when the value is not: infinity times 0 is NaN.
            part = weighing.weight * result.value
            if math.isfinite(part):
                parts.append(part)
                if weighing.gate and result.value < weighing.threshold:
                    closed = True
                continue
            failed.append((weighing.name, _not_finite(weighing, result.value)))
        elif isinstance(result, Errored):
            failed.append((weighing.name, result.failure))
        if weighing.gate:
            closed = True
    if failed and rule.on_error == "raise":
        return Total(None, False, tuple(failed))
    if closed:
        return Total(rule.floor + 0.0, True)  # adding 0.0 makes -0.0 a plain zero
    if not parts or (failed and rule.on_error == "none"):
        return _NO_TOTAL
    return _weighted(rule, parts)


def _weighted(rule: Rule, parts: list[float]) -> Total:
    try:
        summed = _sum(parts)
    except OverflowError:
        return _NO_TOTAL if rule.on_error == "none" else Total(None, False, (_beyond(rule),))
    if rule.clip is not None:
        low, high = rule.clip
        summed = min(max(summed, low), high)
    return Total(summed + 0.0)


def _sum(parts: list[float]) -> float:
    try:
        return math.fsum(parts)
    except OverflowError:
        # fsum also gives up where only a partial sum is too large, which hangs on the order.
        from fractions import Fraction

        return float(sum(map(Fraction, parts)))


def _not_finite(weighing: Weighing, value: float) -> Failure:
    if not math.isfinite(value):
        return Failure("evaluator", f"its value is {value!r}; a value is a finite number")
    return Failure(
        "evaluator",
        f"weight {weighing.weight!r} times value {value!r} is more than a float holds; "
        f"lower the weight",
    )


def _beyond(rule: Rule) -> tuple[str, Failure]:
    names = " + ".join(weighing.name for weighing in rule.weighings)
    return names, Failure("evaluator", "the sum is more than a float holds; lower the weights")
