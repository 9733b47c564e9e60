"""pass@k, corrections for many tests, and power, against enumeration and simulation by hand."""

from __future__ import annotations

import itertools
from statistics import NormalDist

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalsi.core.stats import (
    benjamini_hochberg,
    bonferroni,
    holm,
    pass_at_k,
    pass_hat_k,
    records_needed,
    sd_of_change,
    smallest_change,
    spent_alpha,
)

PS = st.lists(st.floats(0, 1), max_size=6)
TRIALS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(1, 8) for k in range(1, n + 1)])
def test_pass_at_and_hat_are_the_enumeration_of_all_draws(n: int, k: int) -> None:
    for passes in range(n + 1):
        trials = [1] * passes + [0] * (n - passes)
        draws = [*itertools.combinations(trials, k)]
        assert pass_at_k(n, passes, k) == pytest.approx(sum(map(any, draws)) / len(draws))
        assert pass_hat_k(n, passes, k) == pytest.approx(sum(map(all, draws)) / len(draws))


@given(trials=TRIALS, k=st.integers(1, 400))
def test_fewer_trials_than_k_are_undefined_and_never_1(trials: tuple[int, int], k: int) -> None:
    n, passes = trials
    at, hat = pass_at_k(n, passes, k), pass_hat_k(n, passes, k)
    assert (at is None) == (hat is None) == (n < k)
    assert at is None or hat is None or 0 <= hat <= passes / n + 1e-12 <= at + 2e-12 <= 1 + 1e-11


@given(trials=TRIALS)
def test_more_draws_help_one_and_hurt_all(trials: tuple[int, int]) -> None:
    n, passes = trials
    at = [pass_at_k(n, passes, k) or 0.0 for k in range(1, n + 1)]
    hat = [pass_hat_k(n, passes, k) or 0.0 for k in range(1, n + 1)]
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)


@pytest.mark.parametrize("chance", [pass_at_k, pass_hat_k])
@pytest.mark.parametrize(("n", "passes", "k"), [(8, 9, 1), (8, -1, 1), (8, 3, 0), (-1, 0, 1)])
def test_trials_that_cannot_be_are_refused(
    chance: type[object], n: int, passes: int, k: int
) -> None:
    with pytest.raises(ValueError, match=r"passes are between 0 and n|it is 1 or more"):
        chance(n, passes, k)  # type: ignore[call-arg]


def closed_holm(ps: list[float], place: int) -> float:
    """Holm's p by the closed test: the worst Bonferroni p of any set that holds this one."""
    others = [other for other in range(len(ps)) if other != place]
    sets = itertools.chain.from_iterable(
        itertools.combinations(others, size) for size in range(len(ps))
    )
    return max(
        min(1.0, (len(rest) + 1) * min(ps[place], *(ps[one] for one in rest), 1.0)) for rest in sets
    )


@given(ps=PS)
def test_holm_is_the_closed_test(ps: list[float]) -> None:
    assert holm(ps) == pytest.approx([closed_holm(ps, place) for place in range(len(ps))])


@given(ps=PS)
def test_corrections_are_ordered_and_keep_the_order_of_the_ps(ps: list[float]) -> None:
    corrected = zip(ps, benjamini_hochberg(ps), holm(ps), bonferroni(ps), strict=True)
    for p, hochberg, step, plain in corrected:
        assert p <= hochberg + 1e-12 <= step + 2e-12 <= plain + 3e-12 <= 1 + 4e-12
    ranks = sorted(range(len(ps)), key=ps.__getitem__)
    for correct in (holm, benjamini_hochberg):
        in_order = [correct(ps)[place] for place in ranks]
        assert in_order == sorted(in_order)


@given(ps=PS, level=st.floats(0.001, 0.999))
def test_benjamini_hochberg_rejects_what_its_definition_rejects(
    ps: list[float], level: float
) -> None:
    ordered = sorted(ps)
    kept = [p for k, p in enumerate(ordered, start=1) if p <= k * level / len(ps)]
    limit = max(kept, default=-1.0)
    corrected = benjamini_hochberg(ps)
    assume(all(abs(one - level) > 1e-9 for one in corrected))
    assert [one <= level for one in corrected] == [p <= limit for p in ps]


@pytest.mark.parametrize("correct", [holm, bonferroni, benjamini_hochberg])
@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_a_p_that_is_no_probability_is_refused(correct: object, bad: float) -> None:
    with pytest.raises(ValueError, match="it lies between 0 and 1"):
        correct([0.5, bad])  # type: ignore[operator]


def test_all_looks_spend_alpha_once() -> None:
    spent = sum(spent_alpha(look) for look in range(1, 100_000))
    assert spent == pytest.approx(0.05, abs=1e-5)
    assert spent < 0.05


@given(
    sd=st.floats(0.01, 10),
    n=st.integers(1, 100_000),
    power=st.floats(0.5, 0.99),
    confidence=st.floats(0.8, 0.999),
)
def test_the_smallest_change_is_found_with_its_power(
    sd: float, n: int, power: float, confidence: float
) -> None:
    change = smallest_change(sd, n, confidence=confidence, power=power)
    beyond = NormalDist().inv_cdf(1 - (1 - confidence) / 2) * sd / n**0.5
    assert 1 - NormalDist(change, sd / n**0.5).cdf(beyond) == pytest.approx(power, abs=1e-9)


@given(sd=st.floats(0.01, 2), change=st.floats(0.001, 0.5))
def test_the_records_needed_are_the_fewest(sd: float, change: float) -> None:
    n = records_needed(sd, change)
    assert smallest_change(sd, n) <= change * (1 + 1e-9)
    assert n == 1 or smallest_change(sd, n - 1) > change * (1 - 1e-9)


def test_five_hundred_records_cannot_see_two_points() -> None:
    sd = sd_of_change(0.7, 0.5)
    assert smallest_change(sd, 500) == pytest.approx(0.0574, abs=1e-4)
    assert records_needed(sd, 0.02) == 4121
    assert records_needed(sd_of_change(0.7, 0.9), 0.02) == 825


def test_the_sd_of_a_change_is_that_of_two_correlated_coins() -> None:
    share, correlation = 0.7, 0.4
    both = share**2 + correlation * share * (1 - share)
    flips = 2 * (share - both)  # lost and gained are equally likely, so the mean change is 0
    assert sd_of_change(share, correlation) == pytest.approx(flips**0.5)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: smallest_change(0.4, 0), "at least one pair"),
        (lambda: smallest_change(-0.4, 5), "0 or more"),
        (lambda: smallest_change(0.4, 5, power=1), "between 0 and 1"),
        (lambda: records_needed(0.4, 0), "above 0"),
        (lambda: sd_of_change(1.2, 0.5), "cannot be"),
        (lambda: sd_of_change(0.5, 2), "cannot be"),
        (lambda: spent_alpha(0), "first look is 1"),
    ],
    ids=["no-pair", "negative-sd", "power", "no-change", "share", "correlation", "look"],
)
def test_what_cannot_be_is_refused(call: object, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        call()  # type: ignore[operator]
