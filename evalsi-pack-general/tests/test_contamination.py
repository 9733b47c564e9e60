"""contamination: the index of the training data, and what it finds."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsi.core.errors import DataError
from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi_pack_general.contamination import Contamination, ContaminationParams
from evalsi_pack_general.hash_set import HashSet
from evalsi_pack_general.min_hash import MinHashIndex, signature, similarity
from evalsi_pack_general.sequence_hash import sequence_hashes

WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=12)
NUMBERS = st.lists(st.integers(0, (1 << 61) - 2) | st.integers(0, 50).map(lambda n: n << 16))
TEXT = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"


def contamination(path: Path, text: str, **params: object) -> Score:
    settings = ContaminationParams.model_validate({"path": str(path), **params})
    answer = Contamination(settings, Tools()).score(Record(id="1", input=text))
    assert isinstance(answer, Score)
    return answer


@given(WORDS, WORDS, st.integers(1, 4))
def test_equal_sequences_and_only_these_have_equal_numbers(
    one: list[str], other: list[str], n: int
) -> None:
    words = [*one, *other]
    numbers = list(sequence_hashes(words, n))
    sequences = [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]

    assert len(numbers) == len(sequences)
    assert len(set(numbers)) == len(set(sequences))
    assert len(set(zip(numbers, sequences, strict=True))) == len(set(sequences))


@settings(max_examples=25)
@given(NUMBERS, NUMBERS)
def test_the_set_holds_what_was_put_in(put: list[int], asked: list[int]) -> None:
    held = HashSet()
    held.update(put)

    assert [number in held for number in [*put, *asked]] == [
        number in set(put) for number in [*put, *asked]
    ]


def test_the_set_does_not_grow_with_copies() -> None:
    held = HashSet()
    for _ in range(1000):
        held.update([0, 1 << 16, 2 << 16])

    assert len(held._buckets[0]) < 200
    assert 1 << 16 in held
    assert 3 << 16 not in held


@settings(max_examples=20)
@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 300), st.integers())
def test_the_estimated_similarity_is_near_the_true_one(
    mine: int, theirs: int, shared: int, seed: int
) -> None:
    dice = random.Random(seed)
    estimates = []
    for _ in range(40):
        drawn = [dice.getrandbits(60) for _ in range(mine + theirs + shared)]
        both = drawn[:shared]
        one, other = both + drawn[shared : shared + mine], both + drawn[shared + mine :]
        estimates.append(similarity(signature(one), signature(other)))

    true = shared / (mine + theirs + shared)
    assert sum(estimates) / len(estimates) == pytest.approx(true, abs=0.1)


@given(st.sets(st.integers(0, 1 << 60), min_size=1), st.sets(st.integers(0, 1 << 60), min_size=1))
def test_similarity_has_no_direction_and_is_1_with_itself(one: set[int], other: set[int]) -> None:
    mine, theirs = signature(one), signature(other)

    assert similarity(mine, mine) == 1
    assert similarity(mine, theirs) == similarity(theirs, mine)


def test_the_most_similar_of_many_is_found() -> None:
    dice = random.Random(7)
    texts = [[dice.getrandbits(60) for _ in range(200)] for _ in range(500)]
    index = MinHashIndex()
    for text in texts:
        index.add(signature(text))

    others = [dice.getrandbits(60) for _ in range(20)]
    near = index.most_similar(signature([*texts[123][:180], *others]))

    assert near > 0.6
    assert index.most_similar(signature(dice.getrandbits(60) for _ in range(200))) < 0.3


@pytest.mark.parametrize(
    ("name", "content", "field"),
    [
        ("data.jsonl", json.dumps({"text": TEXT}), "text"),
        ("data.jsonl", json.dumps({"a": [{"b": TEXT}]}), None),
        ("data.txt", f"another line\n\n{TEXT}\n", None),
        ("data.jsonl.gz", json.dumps({"text": TEXT}), "text"),
        ("data.txt.gz", TEXT, None),
    ],
)
def test_training_data_are_read_from_lines(
    tmp_path: Path, name: str, content: str, field: str | None
) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())

    assert contamination(path, TEXT.title(), field=field).value == 1.0


def test_sequences_do_not_run_over_from_one_text_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_text("x y z one two\nthree four x y z\n")

    assert contamination(path, "one two three four", n=3).value == 0.0
    assert contamination(path, "one two three four", n=2).value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"text": "a b"}\n{"text"', "data.jsonl:2:8 is no JSON"),
        ('{"text": "a b"}\n\n{"other": 1}', "data.jsonl, row 2 has no 'text'; it has other"),
        ('{"text": "a b"}', "holds no text of 13 words"),
    ],
    ids=["broken", "field", "short"],
)
def test_training_data_that_cannot_be_used_say_where(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(content)

    with pytest.raises(DataError, match=re.escape(message)):
        contamination(path, TEXT, field="text")
