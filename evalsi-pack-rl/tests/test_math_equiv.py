"""math-equiv: the final answer, found in linear time and compared exactly."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from evalsi.core.errors import DataError
from evalsi.core.evaluator import Answer, Tools
from evalsi.core.records import Record
from evalsi.core.results import JSON, Score, Skipped
from evalsi_pack_rl.math_equiv import MathEquiv, MathEquivParams
from evalsi_pack_rl.math_equiv.compare import same_value
from evalsi_pack_rl.math_equiv.extract import final_answer

TESTDATA = Path(__file__).parents[2] / "testdata"


def rows(name: str) -> list[dict[str, Any]]:
    path = TESTDATA / name
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]


def answer(completion: str, reference: JSON, **params: object) -> Answer:
    evaluator = MathEquiv(MathEquivParams.model_validate(params), Tools())
    return evaluator.score(Record(id="1", output=completion, reference=reference))


def score(completion: str, reference: JSON, **params: object) -> Score:
    given = answer(completion, reference, **params)
    assert isinstance(given, Score)
    return given


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("#### 72", "72"),
        ("so \\boxed{5}", "5"),
        ("\\fbox{5}", "5"),
        ("<answer>it is \\boxed{5}</answer>", "5"),
        ("<answer> 6 </answer>", "6"),
        ("<answer>6</answer><answer>7</answer>", "7"),
        ("The final answer is: 12.", "12."),
        ("the answer is x", "x"),
        ("The answer is 4. No wait, the answer is 5.", "5."),
        ("**Answer: 5**", "5**"),
        ("Answer:\n\n$$5$$", "$$5$$"),
        ("The answer is 5 because 3 + 2 = 5.", "5"),
        ("The answer is 5, since 3 + 2 = 5.", "5"),
        ("first \\boxed{5}, rather \\boxed{6}", "6"),
        ("\\boxed{\\frac{a}{b}} done", "\\frac{a}{b}"),
        ("\\boxed{\\{1\\}}", "\\{1\\}"),
        ("put it in \\boxed please: \\boxed{7} (\\boxed)", "7"),
        ("<think>\\boxed{5}</think> So \\boxed{6}.", "6"),
        ("\\boxed{5} then #### 7", "5"),
        ("3 and then 4 dollars", "4"),
        ("there were 1,250 of them", "1,250"),
        ("which gives x = \\frac{1}{2}", "\\frac{1}{2}"),
    ],
)
def test_the_answer_is_found_where_it_is_stated(completion: str, expected: str) -> None:
    assert final_answer(completion, last_number=True) == expected


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "I do not know.",
        "\\boxed{5",
        "\\boxed{}",
        "<answer></answer> 6",
        "####",
        "<think>\\boxed{5}",
    ],
)
def test_without_a_complete_answer_there_is_none(completion: str) -> None:
    assert final_answer(completion, last_number=False) is None


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
        ("\\boxed{A B}", "AB"),
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
        "5 times",
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


def test_the_fallback_is_the_last_number() -> None:
    assert score("So she earns 15 dollars per day.", "15").value == 1.0


def test_the_fallback_can_be_switched_off() -> None:
    assert score("So she earns 15 dollars.", "15", fallback="none") == Score(
        0.0, reason="no-answer", evidence={"predicted": None, "expected": "15"}
    )


@pytest.mark.parametrize("reference", [None, "", "  ", "nan", float("nan")])
def test_a_missing_reference_is_skipped(reference: JSON) -> None:
    assert answer("#### 5", reference) == Skipped("the rollout has no reference")


def test_a_reference_that_is_no_value_is_an_error_of_the_data() -> None:
    with pytest.raises(DataError, match="`reference` is dict"):
        answer("#### 5", {"value": 5})


def test_the_evidence_holds_what_was_predicted_and_what_was_expected() -> None:
    assert score("#### 5", "6") == Score(
        0.0, reason="different", evidence={"predicted": "5", "expected": "6"}
    )


@pytest.mark.parametrize("backend", ["sympy", "math-verify"])
def test_a_backend_that_is_not_there_is_refused_at_load(backend: str) -> None:
    with pytest.raises(ValidationError, match="use `auto` or `plain`"):
        MathEquivParams.model_validate({"backend": backend})


@pytest.mark.parametrize(
    ("name", "right"),
    [("math_cases.jsonl", 297), ("math_cases_large.jsonl.gz", 9), ("math_workload.jsonl", 947)],
)
def test_no_labelled_row_is_wrongly_equal_and_most_are_right(name: str, right: int) -> None:
    settled = [row for row in rows(name) if not row.get("debatable")]
    equal = [answer(row["completion"], row["reference"]) for row in settled]
    verdicts = [(isinstance(one, Score) and one.value == 1.0) for one in equal]

    pairs = list(zip(settled, verdicts, strict=True))
    assert [row["id"] for row, verdict in pairs if verdict and not row["correct"]] == []
    assert sum(verdict == row["correct"] for row, verdict in pairs) >= right


@pytest.mark.parametrize(
    "unit",
    ["1 ", "a ", "*", "** a", "$", "^{2}", "\\text{", "1,000", "=", " = x", "°", "1 cm ", "m/s"],
)
def test_a_long_answer_takes_linear_time(unit: str) -> None:
    text = unit * (99_000 // len(unit))
    started = time.perf_counter()
    same_value(text, "5")
    same_value("5" + text, text + "5")

    assert time.perf_counter() - started < 4  # a step for each pair of characters takes minutes


@pytest.mark.parametrize(
    "name", ["math_cases.jsonl", "math_cases_large.jsonl.gz", "math_workload.jsonl"]
)
def test_every_labelled_row_is_scored_or_skipped(name: str) -> None:
    given = [answer(row["completion"], row["reference"]) for row in rows(name)]

    assert given
    assert all(isinstance(one, Score | Skipped) for one in given)


@pytest.mark.parametrize(
    "unit",
    [
        "\\boxed ",
        "\\boxed{",
        "<answer>",
        "####",
        "answer is ",
        "9",
        "1,",
        "{",
        "$",
        "\\frac{1}{",
        "\ud800",
    ],
    ids=ascii,
)
def test_a_megabyte_of_one_thing_takes_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.perf_counter()
        score(text, "5")
        return time.perf_counter() - started

    seconds(1000)

    assert seconds(4_000_000) < 8 * seconds(1_000_000) + 0.1
