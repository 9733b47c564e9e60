"""What a comparison of two measurements says, and when it says that something got worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

__all__ = ["Comparison", "PairedMethod", "change_if_missing", "regressed"]

PairedMethod: TypeAlias = Literal["t", "cluster-t", "tango", "bonett-price", "bootstrap"]

_ROUNDING: Final = 1e-12  # a drop of 0.02 in floats may be a hair more than the 0.02 of a spec


@dataclass(frozen=True, slots=True)
class Comparison:
    """What happened between a base and a checkpoint.

    Attributes:
        n: records that both sides measured.
        base_mean: the base's mean over these; None without any.
        checkpoint_mean: the checkpoint's.
        diff: checkpoint minus base.
        lo: the lower end of the interval of `diff`; None where there is none (n under 2).
        hi: its upper end.
        p: two-sided, of the test that belongs to the interval: they never disagree about 0.
        method: how interval and p were found; `none` where they were not.
        lost: records that fell.
        gained: records that rose.
        missing: records that the base measured and the checkpoint did not.
        extra: records that the checkpoint measured and the base did not.
    """

    n: int
    base_mean: float | None = None
    checkpoint_mean: float | None = None
    diff: float | None = None
    lo: float | None = None
    hi: float | None = None
    p: float | None = None
    method: PairedMethod | Literal["none"] = "none"
    lost: int = 0
    gained: int = 0
    missing: int = 0
    extra: int = 0

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0; never without an interval."""
        return self.lo is not None and self.hi is not None and (self.lo > 0 or self.hi < 0)

    @property
    def coverage(self) -> float:
        """The share of all records of both sides that could be compared, in [0, 1]."""
        records = self.n + self.missing + self.extra
        return self.n / records if records else 0.0


def regressed(
    comparison: Comparison, *, direction: Literal["higher", "lower", "neither"], max_drop: float
) -> bool:
    """Whether the change is significant, for the worse, and larger than `max_drop`.

    A change of exactly `max_drop` is tolerated, and so is one that exceeds it by no more than
    arithmetic in floats does. A metric that is better `neither` way cannot regress.
    """
    if comparison.diff is None or not comparison.significant or direction == "neither":
        return False
    worse = -comparison.diff if direction == "higher" else comparison.diff
    return worse > 0 and worse - max_drop > _ROUNDING


def change_if_missing(
    base: Mapping[str, float],
    checkpoint: Mapping[str, float],
    *,
    span: tuple[float, float] = (0.0, 1.0),
) -> tuple[float, float] | None:
    """The least and greatest change that the records missing on either side could make.

    Records fail to be measured for reasons (a long answer, a hard prompt), so that those left are
    no fair sample. This takes every missing value at its worst and at its best. None without
    records.

    Args:
        base: values by record id.
        checkpoint: the same.
        span: the least and the greatest value that a record can have.
    """
    ids = base.keys() | checkpoint.keys()
    if not ids:
        return None
    low, high = span
    worst = sum(checkpoint.get(name, low) - base.get(name, high) for name in ids)
    best = sum(checkpoint.get(name, high) - base.get(name, low) for name in ids)
    return worst / len(ids), best / len(ids)
