"""The t and normal distributions against closed forms, integrals by hand, and each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core.stats import t_critical, t_two_sided
from evalsi.core.stats.normal import normal_critical, normal_quantile, normal_two_sided

CONFIDENCE = st.floats(0.01, 0.9999)
DF = st.integers(1, 100_000)


def tail_by_integral(t: float, df: int) -> float:
    """The two-sided tail by Simpson's rule over the angle whose tangent is t / sqrt(df)."""
    steps, end = 20_000, math.atan(t / math.sqrt(df))
    width = end / steps
    inside = sum(
        (1 if place in (0, steps) else 4 if place % 2 else 2) * math.cos(place * width) ** (df - 1)
        for place in range(steps + 1)
    )
    ratio = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2))
    return 1 - 2 * ratio / math.sqrt(math.pi) * inside * width / 3


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.95, 0.99, 0.999999, 1 - 1e-12])
def test_one_degree_of_freedom_is_the_cauchy_distribution(confidence: float) -> None:
    exact = 1 / math.tan(math.pi * (1 - confidence) / 2)
    assert t_critical(confidence, 1) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.95, 0.99, 0.999999])
def test_two_degrees_of_freedom_have_a_closed_form(confidence: float) -> None:
    exact = confidence * math.sqrt(2 / ((1 - confidence) * (1 + confidence)))
    assert t_critical(confidence, 2) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3, 5, 11, 30, 99, 499, 998, 1000, 1002, 5000])
@pytest.mark.parametrize("t", [0.01, 0.5, 1.0, 1.96, 3.0, 6.0])
def test_the_tail_is_the_integral_of_the_density(t: float, df: int) -> None:
    assert t_two_sided(t, df) == pytest.approx(tail_by_integral(t, df), abs=1e-9)


@given(confidence=CONFIDENCE, df=DF)
def test_the_critical_value_leaves_its_tail(confidence: float, df: int) -> None:
    assert t_two_sided(t_critical(confidence, df), df) == pytest.approx(1 - confidence, rel=1e-9)


@given(confidence=CONFIDENCE, df=DF)
def test_t_is_wider_than_normal_and_narrows_with_df(confidence: float, df: int) -> None:
    z = normal_critical(confidence)
    assert z < t_critical(confidence, df + 1) < t_critical(confidence, df) * (1 + 1e-12)


@given(df=st.integers(10_000_000, 10**9))
def test_a_huge_sample_has_the_normal_value(df: int) -> None:
    assert t_critical(0.95, df) == pytest.approx(normal_critical(0.95), rel=1e-6)


@given(t=st.floats(allow_nan=False), df=DF)
def test_a_tail_is_a_probability_and_symmetric(t: float, df: int) -> None:
    tail = t_two_sided(t, df)
    assert 0 <= tail <= 1
    assert tail == t_two_sided(-t, df)


@given(p=st.floats(1e-12, 1 - 1e-12))
def test_normal_quantile_and_tail_agree(p: float) -> None:
    assert normal_two_sided(normal_quantile(p)) == pytest.approx(2 * min(p, 1 - p), rel=1e-6)


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 95, math.nan])
def test_a_confidence_that_is_no_probability_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="it lies between 0 and 1"):
        t_critical(confidence, 5)


@pytest.mark.parametrize("df", [0, -1, 0.5, math.nan])
def test_degrees_of_freedom_under_one_are_refused(df: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_critical(0.95, df)


def test_what_is_no_number_has_no_tail() -> None:
    with pytest.raises(ValueError, match="has no tail"):
        t_two_sided(math.nan, 5)
