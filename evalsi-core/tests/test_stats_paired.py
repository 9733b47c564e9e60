"""Comparisons of a checkpoint with its base: what is compared, how, and when it regressed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core.stats import (
    bootstrap,
    change_if_missing,
    compare,
    interval_of,
    regressed,
    tango_interval,
)

SIDE = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.floats(-100, 100))


def side(*values: float, start: int = 0) -> dict[str, float]:
    return {f"r{place}": value for place, value in enumerate(values, start)}


@given(base=SIDE, checkpoint=SIDE)
def test_only_shared_records_are_compared_and_the_rest_is_counted(
    base: dict[str, float], checkpoint: dict[str, float]
) -> None:
    found = compare(base, checkpoint)
    shared = set(base) & set(checkpoint)
    assert found.n == len(shared)
    assert (found.missing, found.extra) == (len(base) - found.n, len(checkpoint) - found.n)
    assert found.n == 0 or found.diff == pytest.approx(
        sum(checkpoint[name] - base[name] for name in shared) / found.n, abs=1e-9
    )
    assert (found.diff is None) == (found.n == 0)


@given(base=SIDE, checkpoint=SIDE, method=st.sampled_from(["t", "auto"]))
def test_interval_and_p_never_disagree(
    base: dict[str, float], checkpoint: dict[str, float], method: Any
) -> None:
    found = compare(base, checkpoint, method=method)
    assert (found.p is None) == (found.lo is None)
    assert found.p is None or found.significant == (found.p < 0.05)


@given(base=SIDE, checkpoint=SIDE)
def test_changing_places_turns_the_sign(
    base: dict[str, float], checkpoint: dict[str, float]
) -> None:
    there, back = compare(base, checkpoint), compare(checkpoint, base)
    assert (there.lost, there.gained, there.missing) == (back.gained, back.lost, back.extra)
    assert there.lo is None or there.lo == pytest.approx(-(back.hi or 0), abs=1e-9)


def test_the_t_interval_is_that_of_the_differences() -> None:
    found = compare(side(0.1, 0.5, 0.9, 0.3), side(0.3, 0.4, 0.9, 0.8))
    alone = interval_of([0.2, -0.1, 0.0, 0.5], binary=False)
    assert (found.method, alone.method) == ("t", "t")
    assert (found.lo, found.hi) == pytest.approx((alone.lo, alone.hi))


def test_passes_from_one_trial_are_compared_by_tango() -> None:
    found = compare(side(1, 1, 0, 1), side(0, 1, 1, 0))
    assert found.method == "tango"
    assert (found.lo, found.hi) == tango_interval(2, 1, n=4)


def test_means_of_trials_are_compared_by_t_even_where_all_are_0_or_1() -> None:
    assert compare(side(1, 1, 0, 1), side(0, 1, 1, 0), trials=8).method == "t"


def test_clusters_come_first() -> None:
    groups = {"r0": "a", "r1": "a", "r2": "b", "r3": "b"}
    found = compare(side(1, 1, 0, 1), side(0, 1, 1, 0), clusters=groups)
    alone = interval_of([-1, 0, 1, -1], clusters=["a", "a", "b", "b"])
    assert found.method == "cluster-t"
    assert (found.lo, found.hi) == (alone.lo, alone.hi)


def test_a_record_without_a_cluster_is_one_of_its_own() -> None:
    some = compare(side(1, 1, 0, 1), side(0, 1, 1, 0), clusters={"r0": "a", "r1": "a"})
    named = {"r0": "a", "r1": "a", "r2": "b", "r3": "c"}
    assert some == compare(side(1, 1, 0, 1), side(0, 1, 1, 0), clusters=named)


def test_one_cluster_has_no_interval() -> None:
    found = compare(side(1, 0), side(0, 0), clusters={"r0": "a", "r1": "a"})
    assert (found.method, found.lo, found.significant) == ("none", None, False)


def test_unchanged_passes_are_not_certain_to_be_unchanged() -> None:
    found = compare(side(*[1] * 30), side(*[1] * 30))
    assert (found.diff, found.p, found.significant) == (0, 1, False)
    assert found.hi == pytest.approx(0.1135, abs=1e-4)


def test_rounding_is_no_change() -> None:
    found = compare(side(*[0.3] * 10), side(*[0.1 + 0.2] * 10))
    assert (found.diff, found.lost, found.gained, found.significant) == (0, 0, 0, False)


def test_coverage_is_the_share_of_all_records() -> None:
    found = compare(side(1, 0, 1, 1), side(1, 0, 0, 1, start=1))
    assert (found.n, found.missing, found.extra, found.coverage) == (3, 1, 1, 0.6)
    assert compare({}, {}).coverage == 0


@pytest.mark.parametrize(
    ("direction", "drop", "bad"),
    [
        ("higher", 0.1, True),
        ("higher", 0.4, False),
        ("lower", 0.1, False),
        ("neither", 0.0, False),
    ],
)
def test_a_regression_is_a_significant_change_for_the_worse_beyond_max_drop(
    direction: Any, drop: float, bad: bool
) -> None:
    found = compare(side(*[1] * 40), side(*[0] * 16, *[1] * 24))
    assert found.significant
    assert regressed(found, direction=direction, max_drop=drop) is bad


def test_a_change_that_is_not_significant_is_no_regression() -> None:
    found = compare(side(1, 1, 1), side(0, 1, 1))
    assert not regressed(found, direction="higher", max_drop=0)


def test_a_drop_of_exactly_max_drop_is_tolerated_in_floats_too() -> None:
    found = compare(side(*[0.65] * 10), side(*[0.63] * 10))
    assert found.diff is not None
    assert -found.diff > 0.02  # a hair, by arithmetic alone
    assert not regressed(found, direction="higher", max_drop=0.02)
    assert regressed(found, direction="higher", max_drop=0.0199)


def test_missing_records_bound_the_change_at_their_worst_and_best() -> None:
    base, checkpoint = side(1, 1, 0, 1), side(1, 1, start=0)
    # Shared: no change. r2 may rise by 1 or stay at 0, r3 may fall by 1 or stay at 1.
    assert change_if_missing(base, checkpoint) == (-0.25, 0.25)
    assert change_if_missing({}, {}) is None


@given(base=SIDE, checkpoint=SIDE)
def test_the_change_of_complete_records_needs_no_bounds(
    base: dict[str, float], checkpoint: dict[str, float]
) -> None:
    both = {name: checkpoint.get(name, 0.0) for name in base}
    bounds, found = change_if_missing(base, both), compare(base, both)
    assert bounds is None or bounds == pytest.approx((found.diff, found.diff))


@pytest.mark.parametrize("method", ["tango", "bonett-price"])
def test_a_method_for_passes_refuses_fractions(method: Any) -> None:
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        compare(side(0.5, 1), side(1, 1), method=method)


def test_cluster_t_without_clusters_is_refused() -> None:
    with pytest.raises(ValueError, match="needs clusters"):
        compare(side(0.5, 1), side(1, 1), method="cluster-t")


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_value_that_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        compare(side(0.5, bad), side(1, 1))


def test_the_bootstrap_is_there_by_choice_and_repeats() -> None:
    sides = side(*[0.1, 0.5, 0.9, 0.3] * 10), side(*[0.3, 0.4, 0.9, 0.8] * 10)
    first, again = (compare(*sides, method="bootstrap") for _ in range(2))
    by_t = compare(*sides)
    assert first == again
    assert (first.method, first.diff) == ("bootstrap", by_t.diff)
    assert (first.lo, first.hi) == pytest.approx((by_t.lo, by_t.hi), abs=0.02)


@given(
    values=st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=2, max_size=12),
    seed=st.integers(0, 5),
)
def test_the_bootstraps_interval_and_p_never_disagree(values: list[float], seed: int) -> None:
    found = bootstrap(values, resamples=199, seed=seed)
    assert found is not None
    assert (found.lo > 0 or found.hi < 0) == (found.p <= 0.05)


def test_the_bootstrap_takes_any_statistic_and_whole_clusters() -> None:
    values, clusters = [1.0, 1.0, 5.0, 5.0], ["a", "a", "b", "b"]
    found = bootstrap(values, max, clusters=clusters)
    sizes = bootstrap(values, lambda drawn: len(drawn), clusters=clusters)  # noqa: PLW0108
    assert found is not None
    assert (found.lo, found.hi) == (1.0, 5.0)
    assert sizes is not None
    assert (sizes.lo, sizes.hi) == (4, 4)


@pytest.mark.parametrize("clusters", [None, ["a"]], ids=["record", "cluster"])
def test_one_record_or_cluster_cannot_be_resampled(clusters: list[str] | None) -> None:
    assert bootstrap([1.0], clusters=clusters) is None


def test_too_few_resamples_for_the_confidence_are_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        bootstrap([1.0, 2.0], resamples=20)
