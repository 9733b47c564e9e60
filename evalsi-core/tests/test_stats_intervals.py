"""Intervals of one metric: Wilson, t and cluster t, against their definitions."""

from __future__ import annotations

import math
import statistics
import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalsi.core.stats import interval_of, t_critical, wilson_interval
from evalsi.core.stats.moments import clustered_error, moments
from evalsi.core.stats.normal import normal_critical

COUNTS = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
VALUES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60)


def score(share: float, passes: int, n: int) -> float:
    return abs(passes / n - share) / math.sqrt(share * (1 - share) / n)


@given(counts=COUNTS, confidence=st.floats(0.5, 0.999))
def test_at_wilsons_ends_the_score_test_is_at_its_limit(
    counts: tuple[int, int], confidence: float
) -> None:
    ends = wilson_interval(*counts, confidence=confidence)
    z = normal_critical(confidence)
    for end in ends:
        assert end in (0, 1) or score(end, *counts) == pytest.approx(z, rel=1e-6)


@given(counts=COUNTS)
def test_wilson_holds_the_share_and_mirrors_for_failures(counts: tuple[int, int]) -> None:
    passes, n = counts
    low, high = wilson_interval(passes, n)
    mirrored = wilson_interval(n - passes, n)
    assert 0 <= low <= passes / n <= high <= 1
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "method"),
    [
        ([0, 1, 1], "wilson"),
        ([1.0], "wilson"),
        ([0.5, 1, 1], "t"),
        ([2, 1, 0], "t"),
        ([0.5], "none"),
        ([], "none"),
    ],
    ids=["passes", "one-pass", "fractions", "beyond-1", "one-fraction", "nothing"],
)
def test_the_values_choose_the_interval(values: list[float], method: str) -> None:
    assert interval_of(values).method == method


def test_passes_can_be_read_as_numbers() -> None:
    assert interval_of([0, 1, 1], binary=False).method == "t"


def test_no_values_have_no_mean() -> None:
    nothing = interval_of([])
    assert (nothing.n, nothing.mean, nothing.lo, nothing.hi) == (0, None, None, None)


def test_a_hundred_failures_leave_room_for_a_pass() -> None:
    found = interval_of([0] * 100)
    assert (found.mean, found.lo) == (0, 0)
    assert found.hi == pytest.approx(0.0369935, abs=1e-6)


@given(values=VALUES)
def test_the_t_interval_is_the_textbooks(values: list[float]) -> None:
    assume(len(set(values)) > 2)
    found = interval_of(values, binary=False)
    error = statistics.stdev(values) / math.sqrt(len(values))
    half = t_critical(0.95, len(values) - 1) * error
    assert found.mean is not None
    assert found.lo is not None
    assert found.hi is not None
    assert found.mean == pytest.approx(statistics.mean(values), rel=1e-9, abs=1e-9)
    assert found.hi - found.lo == pytest.approx(2 * half, rel=1e-6, abs=1e-9)


@given(values=VALUES, shuffler=st.randoms(use_true_random=False))
def test_the_order_of_the_records_changes_no_digit(values: list[float], shuffler: object) -> None:
    shuffled = list(values)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    assert interval_of(values) == interval_of(shuffled)


@given(value=st.floats(allow_nan=False, allow_infinity=False), n=st.integers(2, 50))
def test_equal_values_have_no_spread(value: float, n: int) -> None:
    found = interval_of([value] * n, binary=False)
    assert (found.lo, found.mean, found.hi) == (value, value, value)


@given(values=st.lists(st.floats(0.1, 1), min_size=2, max_size=20), power=st.integers(-1000, 1000))
def test_the_size_of_the_numbers_changes_nothing_else(values: list[float], power: int) -> None:
    plain = moments(values)
    scaled = moments([math.ldexp(value, power) for value in values])
    assert math.ldexp(scaled.mean, -power) == pytest.approx(plain.mean, rel=1e-12)
    assert math.ldexp(scaled.sd, -power) == pytest.approx(plain.sd, rel=1e-9, abs=1e-15)


def test_the_ends_of_the_float_range_give_an_interval() -> None:
    largest = sys.float_info.max
    found = interval_of([largest, -largest, largest], binary=False)
    assert found.mean == pytest.approx(largest / 3)
    assert (found.lo, found.hi) == (-largest, largest)


def test_clusters_by_hand() -> None:
    # Sums of deviations from the mean 2.5: -2 and 2; sqrt(2 / 1 * 8) / 4 = 1.
    error, count = clustered_error([1, 2, 3, 4], ["a", "a", "b", "b"])
    assert (error, count) == pytest.approx((1.0, 2))
    found = interval_of([1, 2, 3, 4], clusters=["a", "a", "b", "b"])
    half = t_critical(0.95, 1)
    assert (found.lo, found.hi) == pytest.approx((2.5 - half, 2.5 + half))
    assert found.method == "cluster-t"


@given(values=VALUES)
def test_clusters_of_one_record_are_the_plain_t(values: list[float]) -> None:
    apart = interval_of(values, clusters=list(range(len(values))))
    unnamed = interval_of(values, clusters=[None] * len(values))
    plain = interval_of(values, binary=False)
    assert apart == unnamed
    assert (apart.lo, apart.hi) == pytest.approx((plain.lo, plain.hi), rel=1e-9, abs=1e-6)


def test_copies_of_records_in_their_clusters_make_nothing_surer() -> None:
    values = [0.1, 0.9, 0.4, 0.3, 0.7]
    once = interval_of(values, clusters=[*range(5)])
    copied = interval_of(values * 10, clusters=[*range(5)] * 10)
    assert (copied.lo, copied.hi) == pytest.approx((once.lo, once.hi))


def test_one_cluster_says_nothing_about_spread() -> None:
    found = interval_of([1, 0, 1], clusters=["a", "a", "a"])
    assert (found.n, found.mean) == pytest.approx((3, 2 / 3))
    assert (found.lo, found.hi, found.method) == (None, None, "none")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("binary", [None, False, True])
def test_a_value_that_is_not_finite_is_refused(bad: float, binary: bool | None) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        interval_of([1.0, bad, 1.0], binary=binary)


def test_fractions_are_no_passes() -> None:
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        interval_of([0.5, 1.0], binary=True)


@pytest.mark.parametrize(("passes", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_counts_that_cannot_be_are_refused(passes: int, n: int) -> None:
    with pytest.raises(ValueError, match="passes are between 0 and n"):
        wilson_interval(passes, n)


def test_no_numbers_have_no_moments() -> None:
    with pytest.raises(ValueError, match="at least one"):
        moments([])
