"""diversity: what no length, order or number of words in a row may change."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evalsi.core.evaluator import Answer, Tools
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi.core.reward import load_reward
from evalsi_pack_general.distinct import cut_to_one_length, distinct_share
from evalsi_pack_general.diversity import Diversity, DiversityParams
from evalsi_pack_general.words import words_of

TEXT = st.lists(st.sampled_from("abcde"), min_size=3, max_size=12).map(" ".join)
GROUP = st.lists(TEXT, min_size=2, max_size=6)


def diversity(outputs: list[str], **params: object) -> Answer:
    evaluator = Diversity(DiversityParams.model_validate(params), Tools())
    first, *others = evaluator.score_group([Record(id="1", output=text) for text in outputs])
    assert all(other == first for other in others)
    return first


def score(outputs: list[str], **params: object) -> Score:
    answer = diversity(outputs, **params)
    assert isinstance(answer, Score)
    return answer


@given(GROUP)
def test_every_measure_lies_between_one_share_and_all(group: list[str]) -> None:
    found = score(group)
    measured = [found.value, *(v for k, v in found.metrics.items() if k != "diversity.words")]

    assert all(0 < value <= 1 for value in measured)


@given(GROUP, st.randoms())
def test_the_order_of_completions_does_not_count(group: list[str], random: object) -> None:
    shuffled = sorted(group, key=lambda _: random.random())  # type: ignore[attr-defined]

    assert score(shuffled) == score(group)


@given(GROUP, st.lists(TEXT, min_size=6, max_size=6))
def test_what_stands_behind_the_cut_does_not_count(group: list[str], tails: list[str]) -> None:
    shortest = min(len(text.split()) for text in group)
    longer = [f"{text} {tail}" for text, tail in zip(group, tails, strict=False)]

    assert score(longer, words=shortest).value == score(group, words=shortest).value


@given(TEXT, st.integers(2, 6))
def test_copies_share_all_they_have(text: str, count: int) -> None:
    one = cut_to_one_length([text], least=1, most=50)
    copies = score([text] * count, n=[1])

    assert copies.value == pytest.approx(distinct_share(one.texts, 1) / count)


@given(st.text())
def test_words_hold_every_letter_that_is_no_space(text: str) -> None:
    folded = "".join(text.split()).casefold()

    assert "".join(words_of(text)) == folded


@given(st.text(alphabet="abc \U0001f600\u6771\u0e01\u0301\u0915\u093f"))
def test_no_word_holds_white_space(text: str) -> None:
    assert not any(re.search(r"\s", word) for word in words_of(text))


def test_rollouts_of_one_prompt_share_their_score_in_a_reward() -> None:
    reward = load_reward({"components": ["diversity"]})
    rollouts = [
        {"prompt": "one", "completion": "a b c"},
        {"prompt": "two", "completion": "a b c"},
        {"prompt": "one", "completion": "a b c"},
        {"prompt": "two", "completion": "d e f"},
    ]

    totals = [scored.total for scored in reward.score(rollouts)]

    assert totals == [0.5, 1.0, 0.5, 1.0]


def test_without_sacrebleu_the_params_say_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)

    with pytest.raises(ValidationError, match=r"pip install 'evalsi-pack-general\[diversity\]'"):
        DiversityParams(self_bleu=True)
