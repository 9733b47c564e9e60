"""The text tier and the number tier: exact values in any spelling, and units."""

from __future__ import annotations

import pytest

from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import JSON, Score
from evalsi_pack_rl.math_equiv import MathEquiv, MathEquivParams


def score(completion: str, reference: JSON) -> Score:
    evaluator = MathEquiv(MathEquivParams(backend="plain"), Tools())
    (given,) = evaluator.score_batch([Record(id="1", output=completion, reference=reference)])
    assert isinstance(given, Score)
    return given


@pytest.mark.parametrize(
    ("completion", "reference"),
    [
        ("<answer>it is \\boxed{5}</answer>", "5"),
        ("The final answer is: 12.", "12"),
        ("\\boxed{\\dfrac12}", "1/2"),
        ("\\boxed{\\frac{1}{2}}", "0.5"),
        ("#### 1,250", "1250"),
        ("#### $12.00", "12"),
        ("\\boxed{10 \\text{ cm}}", "10"),
        ("\\boxed{x = 3}", "3"),
        ("\\boxed{(1, 2)}", "(1,2)"),
        ("The answer is Paris.", "paris"),
        ("\\boxed{\\text{Paris}}", "paris"),
        ("#### -18", "-18"),
        ("#### +7", "7"),
        ("#### 007", "7"),
        ("#### .5", "0.50"),
        ("#### 1e-3", "0.001"),
        ("\\boxed{2 \\times 10^{3}}", "2000"),
        ("#### 50%", "0.5"),
        ("#### 50%", "50"),
        ("\\boxed{7 1/2}", "7.5"),
        ("\\boxed{-1\\frac{1}{2}}", "-3/2"),
        ("the answer is 2.5 million", "2500000"),
        ("#### 9007199254740993", 9007199254740993),
        ("#### 0.1", 0.1),
        ("#### 72", "She has 3 boxes of 24.\n#### 72"),
        ("#### 42", "$42$"),
        ("\\boxed{1{,}000}", "1000"),
        ("\\boxed{10,\\!080}", "10080"),
        ("\\boxed{1\\,000}", "1000"),
        ("#### 1 000 000", "1000000"),
        ("\\boxed{1/-2}", "-1/2"),
        ("The answer is **18**.", "18"),
        ("The answer is **18** dollars.", "18"),
        ("\\boxed{*18*}", "18"),
        ("\\boxed{3 = x}", "3"),
        ("\\boxed{x²}", "x^{2}"),
        ("\\boxed{2 x}", "2x"),
    ],
)
def test_equal_values_score_1_whatever_their_spelling(completion: str, reference: JSON) -> None:
    assert score(completion, reference).value == 1.0


@pytest.mark.parametrize(
    ("completion", "reference"),
    [
        ("#### 72", "73"),
        ("#### -18", "18"),
        ("#### 9007199254740993", "9007199254740992"),
        ("#### 0.0000001", "0"),
        ("\\boxed{\\frac{2}{1}}", "\\frac{1}{2}"),
        ("\\boxed{(2, 1)}", "(1, 2)"),
        ("\\boxed{(1,234)}", "1234"),
        ("#### 1,5", "15"),
        ("\\boxed{3^2}", "32"),
        ("#### 50", "0.5"),
        ("\\boxed{1e999999999}", "1"),
        ("\\boxed{\\frac{1}{0}}", "0"),
        ("The answer is 1 or 2 or 3.", "3"),
        ("\\boxed{5 \\text{ cm}}", "5 \\text{ kg}"),
        ("\\boxed{1 1/2}", "11/2"),
        ("\\boxed{7 1/2}", "71/2"),
        ("\\boxed{3 4}", "34"),
        ("\\boxed{1, 250}", "1,250"),
        ("\\boxed{1, 250, 300}", "1,250, 300"),
        ("\\boxed{2**3}", "23"),
        ("\\boxed{x*}", "x"),
        ("\\boxed{12\u200b34}", "1234"),
        ("\\boxed{12 345,678}", "12345678"),
        ("\\boxed{2\\frac{-1}{2}}", "1.5"),
    ],
)
def test_other_values_score_0(completion: str, reference: JSON) -> None:
    assert score(completion, reference).value == 0.0


@pytest.mark.parametrize(
    "completion",
    [
        "5 dollars",
        "5 apples in total",
        "5 eggs",
        "5 years old",
        "5 times",
        "5 t-shirts",
        "5 CDs",
        "5 pieces of art",
        "5 men",
        "5 of them",
        "5 miles per hour",
        "5 km/h",
        "5 m",
        "5cm",
        "5 \\text{ cm}^2",
        "5 cm²",
        "5 square feet",
        "£5",
        "\\$5",
        "$5/day",
        "5^\\circ",
        "5 °C",
    ],
)
def test_a_bare_number_equals_one_with_a_unit(completion: str) -> None:
    assert score(f"\\boxed{{{completion}}}", "5").value == 1.0


@pytest.mark.parametrize(
    "completion",
    [
        "5 pi",
        "5 i",
        "5 x",
        "5x",
        "5 xy",
        "5 a b",
        "5 sin x",
        "5 mod",
        "5 squared",
        "5 times x",
        "5 halves",
        "5 below zero",
        "5 or",
        "5 if x",
        "5 not",
        "5 base two",
        "5 dozen",
        "5 ABCD",
    ],
)
def test_words_that_may_change_the_value_are_no_unit(completion: str) -> None:
    assert score(f"\\boxed{{{completion}}}", "5").value == 0.0
    assert score("\\boxed{5}", completion).value == 0.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 dollars", "\\$5"),
        ("5 cm", "5 centimeters"),
        ("5 m^2", "5 square meters"),
        ("5 mi/h", "5 miles per hour"),
        ("2.5 million dollars", "\\$2,500,000"),
        ("5 days", "5 day"),
    ],
)
def test_one_unit_has_several_spellings(one: str, other: str) -> None:
    assert score(f"\\boxed{{{one}}}", other).value == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 cm^3", "5 cm^2"),
        ("5 cm^2", "5 cm"),
        ("£5", "\\$5"),
        ("5 m", "5 m/s"),
        ("\\frac{1}{2} x", "1/2"),
    ],
)
def test_units_differ_by_exponent_and_currency(one: str, other: str) -> None:
    assert score(f"\\boxed{{{one}}}", other).value == 0.0


@pytest.mark.parametrize("digits", [10, 999, 1001, 4301, 90_000])
def test_integers_of_any_length_are_compared_exactly(digits: int) -> None:
    number = "7" * digits

    assert score(f"\\boxed{{{number}}}", f"0{number}.0").value == 1.0
    assert score(f"\\boxed{{{number}}}", number[:-1] + "8").value == 0.0
