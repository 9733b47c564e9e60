"""sampling.yaml: eight samples a problem, so that pass@8, pass^8 and the variety are measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Done, Example, over_file
from lessons import KNOWN
from sums import check_document

SPEC = "sampling.yaml"
RECORDS, TRIALS = KNOWN + 2, 8


@pytest.fixture(scope="module")
def changes(problems: Path) -> tuple[str, ...]:
    return over_file(problems, RECORDS)


def test_every_trial_is_a_request_and_the_numbers_add_up(done: Done, example: Example) -> None:
    assert done.code == 0, done.error
    check_document(example.document, records=RECORDS, trials=TRIALS)
    assert example.document["outputs"]["asked"] == RECORDS * TRIALS


def test_passing_once_and_always_are_read_off_the_outputs(example: Example) -> None:
    rows, metrics = example.document["records"], example.document["metrics"]
    marks = [row["scores"]["math-equiv"]["value"] for row in rows]
    groups = [marks[at : at + TRIALS] for at in range(0, len(marks), TRIALS)]
    once, always = (sum(map(how, groups)) / RECORDS for how in (any, all))
    assert metrics["math-equiv.pass@8"]["mean"] == pytest.approx(once)
    assert metrics["math-equiv.pass^8"]["mean"] == pytest.approx(always)
    assert once > metrics["math-equiv"]["mean"] > always


def test_the_samples_differ_and_diversity_says_so(example: Example) -> None:
    rows = example.document["records"]
    texts = [row["output"]["text"] for row in rows]
    assert any(len(set(texts[at : at + TRIALS])) > 1 for at in range(0, len(texts), TRIALS))
    assert 0 < example.document["metrics"]["diversity"]["mean"] < 1


def test_going_on_asks_for_nothing(done: Done, example: Example) -> None:
    before = example.document
    again = example.run_offline()
    assert (again.code, again.told["metrics"]) == (0, done.told["metrics"])
    assert example.document["records"] == before["records"]


def test_a_gate_on_passing_always_fails(example: Example) -> None:
    gate = "gates=[{metric: math-equiv.pass^8, min: 1}]"
    assert example.run_offline("--set", gate).code == 3
