"""The same examples over ASDiv, whose answers carry what they count: `9 apples`."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Done, Example, over_file
from lessons import KNOWN, answer_to, rows_of
from serving import Server
from sums import check_document

SPEC = "forgetting.yaml"
RECORDS = KNOWN + 8


@pytest.fixture(scope="module")
def changes(asdiv: Path) -> tuple[str, ...]:
    return over_file(asdiv, RECORDS)


def test_the_package_holds_two_thousand_problems_with_a_number(asdiv: Path) -> None:
    assert len(rows_of(asdiv)) > 2000


def test_the_run_passes_and_its_numbers_add_up(done: Done, example: Example) -> None:
    assert done.code == 0, done.error
    check_document(example.document, records=RECORDS)


def test_a_number_is_the_answer_with_or_without_what_it_counts(
    example: Example, asdiv: Path
) -> None:
    rows, problems = example.document["records"], rows_of(asdiv)[:RECORDS]
    assert any(" " in problem["answer"] for problem in problems[:KNOWN])
    wanted = [
        float(row["output"]["text"] == answer_to(p)) for row, p in zip(rows, problems, strict=True)
    ]
    assert [row["scores"]["math-equiv"]["value"] for row in rows] == wanted
    assert wanted[:KNOWN] == [1.0] * KNOWN


def test_sampling_counts_passes_over_its_trials(
    server: Server, asdiv: Path, tmp_path: Path
) -> None:
    run = Example("sampling.yaml", server, tmp_path / "result.json", over_file(asdiv, 6))
    told = run.run()
    assert told.code == 0, told.error
    check_document(run.document, records=6, trials=8)
    metrics = run.document["metrics"]
    always, once = metrics["math-equiv.pass^8"]["mean"], metrics["math-equiv.pass@8"]["mean"]
    assert 0 <= always <= metrics["math-equiv"]["mean"] <= once <= 1
    assert once > 0
