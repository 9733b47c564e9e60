"""The two ways to tell values apart, each against a second way to compute them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi_pack_rl.math_equiv.canonical import elementary
from evalsi_pack_rl.math_equiv.canonical.budget import Budget, OutOfBudget, Undefined, Unsupported
from evalsi_pack_rl.math_equiv.canonical.enclosing import Enclosure, sign_of
from evalsi_pack_rl.math_equiv.canonical.exact import rational
from evalsi_pack_rl.math_equiv.canonical.intervals import (
    BITS,
    Interval,
    divided,
    multiplied,
    of_rational,
    raised,
    square_root,
)
from evalsi_pack_rl.math_equiv.canonical.modular import PRIME, NoValue, Point
from evalsi_pack_rl.math_equiv.canonical.primes import factors_of
from evalsi_pack_rl.math_equiv.syntax import parse

UNIT = Fraction(1, 1 << BITS)
RATIONALS = st.fractions(min_value=-50, max_value=50, max_denominator=1000)
POSITIVE = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)


def holds(interval: Interval, value: Fraction) -> bool:
    return interval[0] * UNIT <= value <= interval[1] * UNIT


def is_about(interval: Interval, value: float) -> bool:
    low, high = (Fraction(end) * UNIT for end in interval)
    margin = Fraction(1, 10**12) * max(Fraction(1), abs(Fraction(value)))
    return low <= high and abs(low - Fraction(value)) < margin > abs(high - Fraction(value))


@given(RATIONALS, RATIONALS)
def test_the_product_and_quotient_of_intervals_hold_the_exact_values(
    one: Fraction, other: Fraction
) -> None:
    assert holds(multiplied(of_rational(one), of_rational(other)), one * other)
    if other:
        assert holds(divided(of_rational(one), of_rational(other)), one / other)


@given(RATIONALS, st.integers(0, 9))
def test_a_power_of_an_interval_holds_the_exact_power(base: Fraction, exponent: int) -> None:
    assert holds(raised(of_rational(base), exponent), base**exponent)


@given(POSITIVE)
def test_a_square_root_squared_holds_the_number(value: Fraction) -> None:
    root = square_root(of_rational(value))

    assert holds(multiplied(root, root), value)


@given(RATIONALS)
def test_exponential_sine_cosine_and_arc_tangent_agree_with_floats(value: Fraction) -> None:
    interval, number = of_rational(value), float(value)

    assert is_about(elementary.exponential(interval), math.exp(number))
    assert is_about(elementary.sine(interval), math.sin(number))
    assert is_about(elementary.cosine(interval), math.cos(number))
    assert is_about(elementary.arc_tangent(interval), math.atan(number))


@given(RATIONALS)
def test_identities_hold_within_the_bounds_to_the_last_bits(value: Fraction) -> None:
    interval = of_rational(value)
    sine, cosine = elementary.sine(interval), elementary.cosine(interval)
    squares = multiplied(sine, sine), multiplied(cosine, cosine)
    back = elementary.logarithm(elementary.exponential(interval))

    assert holds((squares[0][0] + squares[1][0], squares[0][1] + squares[1][1]), Fraction(1))
    assert holds(back, value)
    assert sine[1] - sine[0] < 1 << 20


def test_pi_is_enclosed_to_fifty_digits() -> None:
    digits = Fraction("3.14159265358979323846264338327950288419716939937510")
    low, high = elementary.pi()

    assert digits <= low * UNIT < high * UNIT < digits + Fraction(1, 10**50)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\sqrt{2+\sqrt2}", math.sqrt(2 + math.sqrt(2))),
        (r"\log_2 10", math.log2(10)),
        (r"\arccos\frac13", math.acos(1 / 3)),
        (r"\tanh 2-\csc 1+\cot 2", math.tanh(2) - 1 / math.sin(1) + 1 / math.tan(2)),
        (r"\pi^e", math.pi**math.e),
        (r"(-8)^{1/3}", -2.0),
        (r"\lfloor \pi^2 \rfloor", 9.0),
        (r"\sin 30^\circ", 0.5),
        ("x^2-y", 1.25),
    ],
)
def test_an_expression_is_enclosed(text: str, value: float) -> None:
    place = {"x": Fraction(3, 2), "y": Fraction(1)}

    assert is_about(Enclosure(place, Budget()).of(parse(text)), value)


@pytest.mark.parametrize("text", [r"\sqrt{-2}", r"\ln(-1)", "z", r"\frac{1}{\pi-\pi}", "2i"])
def test_what_is_not_surely_real_is_not_enclosed(text: str) -> None:
    with pytest.raises(Unsupported):
        Enclosure({}, Budget()).of(parse(text))


@pytest.mark.parametrize(
    ("text", "sign"),
    [(r"\pi-3", 1), (r"\sqrt2-2", -1), (r"\sqrt2-\sqrt2", None), ("x", None)],
)
def test_a_sign_is_proven_or_unknown(text: str, sign: int | None) -> None:
    assert sign_of(parse(text), Budget()) == sign


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(x+1)^{1000}(x-1)", "(x+1)^{999}(x^2-1)"),
        (r"\sqrt{12}", r"2\sqrt3"),
        (r"\frac{1}{\sqrt2+\sqrt3}", r"\sqrt3-\sqrt2"),
        (r"\frac{1}{i+x}", r"\frac{x-i}{x^2+1}"),
        (r"\pi(\pi+1)", r"\pi^2+\pi"),
    ],
)
def test_identities_hold_modulo_the_prime(one: str, other: str) -> None:
    point = Point(Budget())

    assert point.value(parse(one)) == point.value(parse(other))


@pytest.mark.parametrize(
    "text", [r"\pi+e", r"\sqrt{x}", r"\sin 1", "2^x", r"\sqrt[3]2", r"\frac{1}{0}", "(1,2)"]
)
def test_what_would_prove_nothing_has_no_value_modulo_the_prime(text: str) -> None:
    with pytest.raises(NoValue):
        Point(Budget()).value(parse(text))


def test_the_prime_is_prime_and_minus_one_is_a_square() -> None:
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)

    assert all(pow(base, PRIME - 1, PRIME) == 1 for base in bases)
    assert all(PRIME % factor for factor in range(3, 100_000, 2))
    assert PRIME.bit_length() == 61
    assert PRIME % 24 == 1


@given(st.integers(1, 10**14))
def test_the_factors_of_a_number_multiply_to_it(number: int) -> None:
    assert math.prod(base**exponent for base, exponent in factors_of(number)) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac{2^{10}-4!}{\binom{5}{2}}", Fraction(100)),
        (r"\gcd(12,18)+\max(1,2)", Fraction(8)),
        (r"\lceil 2.5 \rceil - |-3|", Fraction(0)),
        ("7!!", Fraction(105)),
        ("17 \\bmod 5", Fraction(2)),
        ("(-1)^{10^9+1}", Fraction(-1)),
        ("101_2", Fraction(5)),
    ],
)
def test_rational_operations_are_exact(text: str, value: Fraction) -> None:
    assert rational(parse(text), Budget()) == value


@pytest.mark.parametrize("text", [r"\sqrt4", "x", r"\pi", r"\ln 1"])
def test_other_operations_have_no_rational_value_here(text: str) -> None:
    assert rational(parse(text), Budget()) is None


@pytest.mark.parametrize("text", [r"\frac10", "0^0", "(-1)!", r"5 \bmod 0"])
def test_what_has_no_value_is_undefined(text: str) -> None:
    with pytest.raises(Undefined):
        rational(parse(text), Budget())


@pytest.mark.parametrize("text", ["9^{9^9}", "10000!", r"\binom{10^6}{5\cdot 10^5}", "2^{50000}"])
def test_a_number_that_is_too_long_is_refused_before_it_is_computed(text: str) -> None:
    budget = Budget()

    with pytest.raises(OutOfBudget):
        rational(parse(text), budget)
    assert Budget().left - budget.left < 100
