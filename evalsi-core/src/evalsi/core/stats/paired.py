"""A checkpoint against its base, record by record: the change and its interval.

Pairing takes out what both sides share, the difficulty of the records, so that far smaller
changes show than two separate intervals could tell apart. Only records that both sides measured
are compared; how many are missing on either side is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from evalsi.core.stats.bonett_price import bonett_price_interval, bonett_price_p
from evalsi.core.stats.bootstrap import bootstrap
from evalsi.core.stats.changes import by_t, by_tango
from evalsi.core.stats.comparison import Comparison, PairedMethod
from evalsi.core.stats.intervals import all_binary
from evalsi.core.stats.moments import clustered_error, moments
from evalsi.core.stats.normal import checked_confidence

__all__ = ["compare"]

_ROUNDING: Final = 1e-12  # values that differ by less differ by how they were added up

_Found: TypeAlias = tuple[tuple[float, float], float]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The shared records, in the order of their ids."""

    before: Sequence[float]
    after: Sequence[float]
    changes: Sequence[float]
    groups: Sequence[Hashable] | None

    @property
    def flips(self) -> tuple[int, int]:
        return sum(one < 0 for one in self.changes), sum(one > 0 for one in self.changes)

    @property
    def binary(self) -> bool:
        return all_binary(self.before) and all_binary(self.after)


def compare(  # noqa: PLR0913 - keyword-only options
    base: Mapping[str, float],
    checkpoint: Mapping[str, float],
    *,
    method: PairedMethod | Literal["auto"] = "auto",
    trials: int = 1,
    clusters: Mapping[str, Hashable] | None = None,
    confidence: float = 0.95,
) -> Comparison:
    """Compares two measurements of the same records.

    `auto`: with clusters, cluster-robust t; for 0/1 values from one trial, Tango's score
    interval; else paired t. Deterministic, and the order of the records does not matter.

    Args:
        base: one finite value a record id; trials are averaged before. What was not measured is
            left out: it is never 0.
        checkpoint: the same for the checkpoint.
        method: how the interval is found.
        trials: the most trials that a value on either side is the mean of.
        clusters: a record's group, by id; a record without one is a group of its own.
        confidence: the share of intervals that hold the truth.

    Raises:
        ValueError: a value is not finite, `confidence` is not between 0 and 1, or the method does
            not fit: passes and failures for `tango` and `bonett-price`, clusters for `cluster-t`.
    """
    checked_confidence(confidence)
    ids = sorted(base.keys() & checkpoint.keys())
    missing, extra = len(base) - len(ids), len(checkpoint) - len(ids)
    if not ids:
        return Comparison(0, missing=missing, extra=extra)
    pairs = _paired(base, checkpoint, ids, clusters)
    lost, gained = pairs.flips
    seen = Comparison(
        len(ids),
        moments(pairs.before).mean,
        moments(pairs.after).mean,
        moments(pairs.changes).mean,
        lost=lost,
        gained=gained,
        missing=missing,
        extra=extra,
    )
    using = _chosen(pairs, trials) if method == "auto" else method
    found = _METHODS[using](pairs, confidence) if len(ids) > 1 else None
    if found is None:
        return seen
    (low, high), p = found
    return replace(seen, lo=low, hi=high, p=p, method=using)


def _paired(
    base: Mapping[str, float],
    checkpoint: Mapping[str, float],
    ids: Sequence[str],
    clusters: Mapping[str, Hashable] | None,
) -> _Pairs:
    before, after = [base[name] for name in ids], [checkpoint[name] for name in ids]
    changes = [
        0.0 if math.isclose(old, new, rel_tol=_ROUNDING) else new - old
        for old, new in zip(before, after, strict=True)
    ]
    groups = None if clusters is None else [clusters.get(name) for name in ids]
    return _Pairs(before, after, changes, groups)


def _chosen(pairs: _Pairs, trials: int) -> PairedMethod:
    if pairs.groups is not None:
        return "cluster-t"
    return "tango" if trials == 1 and pairs.binary else "t"


def _t(pairs: _Pairs, confidence: float) -> _Found | None:
    found = moments(pairs.changes)
    return by_t(found.mean, found.error, found.n - 1, confidence)


def _cluster_t(pairs: _Pairs, confidence: float) -> _Found | None:
    if pairs.groups is None:
        raise ValueError("method cluster-t needs clusters")
    error, count = clustered_error(pairs.changes, pairs.groups)
    return by_t(moments(pairs.changes).mean, error, count - 1, confidence)


def _tango(pairs: _Pairs, confidence: float) -> _Found:
    lost, gained = _binary_flips(pairs)
    return by_tango(lost, gained, len(pairs.changes), confidence)


def _bonett_price(pairs: _Pairs, confidence: float) -> _Found:
    lost, gained = _binary_flips(pairs)
    n = len(pairs.changes)
    ends = bonett_price_interval(lost, gained, n=n, confidence=confidence)
    return ends, bonett_price_p(lost, gained, n=n)


def _binary_flips(pairs: _Pairs) -> tuple[int, int]:
    if not pairs.binary:
        raise ValueError("a value is neither 0 nor 1; this method compares passes and failures")
    return pairs.flips


def _bootstrap(pairs: _Pairs, confidence: float) -> _Found | None:
    found = bootstrap(pairs.changes, clusters=pairs.groups, confidence=confidence)
    return None if found is None else ((found.lo, found.hi), found.p)


_METHODS: Final[Mapping[PairedMethod, Callable[[_Pairs, float], _Found | None]]] = {
    "t": _t,
    "cluster-t": _cluster_t,
    "tango": _tango,
    "bonett-price": _bonett_price,
    "bootstrap": _bootstrap,
}
