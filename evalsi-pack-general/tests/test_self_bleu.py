"""Self-BLEU by sacrebleu, which this pack's test group installs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi_pack_general.diversity import Diversity, DiversityParams
from evalsi_pack_general.self_bleu import self_bleu

TEXTS = st.lists(st.lists(st.sampled_from("abcd"), min_size=5, max_size=5), min_size=2, max_size=4)


def test_copies_have_a_self_bleu_of_1() -> None:
    assert self_bleu([list("abcde")] * 3) == pytest.approx(1)


def test_texts_without_a_word_in_common_have_nearly_none() -> None:
    assert self_bleu([list("abcdefgh"), list("ijklmnop")]) < 0.05


@given(TEXTS, st.randoms())
def test_neither_order_nor_direction_counts(texts: list[list[str]], random: object) -> None:
    shuffled = sorted(texts, key=lambda _: random.random())  # type: ignore[attr-defined]
    found = self_bleu(texts)

    assert 0 <= found <= 1 + 1e-9
    assert self_bleu(shuffled) == pytest.approx(found)


def test_a_large_group_takes_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import sacrebleu

    met = []
    monkeypatch.setattr(
        sacrebleu.BLEU,
        "sentence_score",
        lambda _, one, others: met.append((one, *others)) or SimpleNamespace(score=50.0),
    )
    assert self_bleu([[f"w{number}"] for number in range(300)]) == 0.5
    assert len(met) == 300 * 32
    assert {sum(f"w{number}" in pair for pair in met) for number in range(300)} == {64}


def test_diversity_reports_it_with_the_library_that_computes_it() -> None:
    params = DiversityParams(self_bleu=True)
    records = [Record(id="1", output="a b c d"), Record(id="2", output="a b c d e")]
    answer, _ = Diversity(params, Tools()).score_group(records)

    assert isinstance(answer, Score)
    assert answer.metrics["diversity.self-bleu"] == pytest.approx(1)
    assert Diversity.metrics(params)["diversity.self-bleu"] == "lower"
    assert Diversity.backend(params).startswith("sacrebleu ")
