"""Pass and fail, paired: Tango, Bonett-Price and McNemar, against likelihood and enumeration."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core.stats import (
    bonett_price_interval,
    mcnemar_exact,
    mcnemar_score,
    tango_interval,
    wilson_interval,
)
from evalsi.core.stats.bonett_price import bonett_price_p
from evalsi.core.stats.normal import normal_critical

Counts = tuple[int, int, int]


@st.composite
def counts(draw: st.DrawFn, most: int = 2000) -> Counts:
    n = draw(st.integers(1, most))
    lost = draw(st.integers(0, n))
    return lost, draw(st.integers(0, n - lost)), n


def likeliest_losing(lost: int, gained: int, n: int, change: float) -> float:
    """The probability of losing a record that maximises the likelihood, by ternary search."""
    kept = n - lost - gained

    def log_likelihood(losing: float) -> float:
        shares = ((lost, losing), (gained, losing + change), (kept, 1 - 2 * losing - change))
        return sum(many * math.log(max(share, 1e-300)) for many, share in shares if many)

    low, high = max(0.0, -change), (1 - change) / 2
    for _ in range(200):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if log_likelihood(left) < log_likelihood(right):
            low = left
        else:
            high = right
    return (low + high) / 2


def score(lost: int, gained: int, n: int, change: float) -> float:
    losing = likeliest_losing(lost, gained, n, change)
    variance = n * (2 * losing + change - change**2)
    return (gained - lost - n * change) / math.sqrt(variance)


@pytest.mark.parametrize(
    "given_counts",
    [(12, 3, 100), (8, 5, 100), (4, 0, 30), (0, 10, 40), (20, 45, 500), (1, 1, 3), (40, 2, 44)],
    ids=str,
)
def test_at_tangos_ends_the_score_under_the_likeliest_truth_is_z(given_counts: Counts) -> None:
    low, high = tango_interval(*given_counts[:2], n=given_counts[2])
    z = normal_critical(0.95)
    assert score(*given_counts, low) == pytest.approx(z, abs=1e-5)
    assert score(*given_counts, high) == pytest.approx(-z, abs=1e-5)


@given(counts=counts())
def test_tango_excludes_no_change_exactly_when_mcnemar_rejects(counts: Counts) -> None:
    lost, gained, n = counts
    low, high = tango_interval(lost, gained, n=n)
    assert (low > 0 or high < 0) == (mcnemar_score(lost, gained) < 0.05)


@given(counts=counts(), confidence=st.floats(0.5, 0.999))
def test_tango_mirrors_when_the_sides_change_places(counts: Counts, confidence: float) -> None:
    lost, gained, n = counts
    low, high = tango_interval(lost, gained, n=n, confidence=confidence)
    mirrored = tango_interval(gained, lost, n=n, confidence=confidence)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)
    assert -1 <= low <= (gained - lost) / n <= high <= 1


@given(counts=counts())
def test_more_confidence_is_a_wider_interval(counts: Counts) -> None:
    lost, gained, n = counts
    low, high = tango_interval(lost, gained, n=n, confidence=0.8)
    wider = tango_interval(lost, gained, n=n, confidence=0.99)
    assert wider[0] <= low + 1e-12
    assert wider[1] >= high - 1e-12


@given(n=st.integers(1, 5000))
def test_no_flips_still_leave_a_width_that_has_a_closed_form(n: int) -> None:
    square = normal_critical(0.95) ** 2
    half = square / (n + square)
    assert tango_interval(0, 0, n=n) == pytest.approx((-half, half))


def test_where_every_record_flips_the_interval_is_wilsons_of_the_flips() -> None:
    # The change is twice the share of gains among the flips, minus 1.
    expected = [2 * end - 1 for end in wilson_interval(15, 20)]
    assert tango_interval(5, 15, n=20) == pytest.approx(expected, abs=1e-9)


@given(counts=counts())
def test_bonett_price_and_its_p_never_disagree(counts: Counts) -> None:
    lost, gained, n = counts
    low, high = bonett_price_interval(lost, gained, n=n)
    assert -1 <= low <= high <= 1
    assert (low > 0 or high < 0) == (bonett_price_p(lost, gained, n=n) < 0.05)


@pytest.mark.parametrize("flips", range(13))
def test_the_exact_test_is_the_enumeration_of_coin_flips(flips: int) -> None:
    for lost in range(flips + 1):
        heads = [outcome.bit_count() for outcome in range(2**flips)]
        extreme = abs(lost - flips / 2)
        ways = sum(abs(head - flips / 2) >= extreme for head in heads)
        assert mcnemar_exact(lost, flips - lost) == pytest.approx(ways / 2**flips)


@given(lost=st.integers(0, 3000), gained=st.integers(0, 3000))
def test_both_tests_give_probabilities(lost: int, gained: int) -> None:
    assert 0 <= mcnemar_exact(lost, gained) <= 1
    assert 0 <= mcnemar_score(lost, gained) <= 1


@pytest.mark.parametrize("interval", [tango_interval, bonett_price_interval])
@pytest.mark.parametrize(("lost", "gained", "n"), [(-1, 0, 5), (0, -1, 5), (3, 3, 5), (0, 0, 0)])
def test_counts_that_cannot_be_are_refused(
    interval: type[object], lost: int, gained: int, n: int
) -> None:
    with pytest.raises(ValueError, match="that cannot be"):
        interval(lost, gained, n=n)  # type: ignore[call-arg]
