"""safety-regression.yaml: StrongREJECT's prompts and our benign ones, with two kinds of judge.

One is scripted, on loopback: it reads the reply and fills in the rubric. The other is the tiny
model itself, which cannot judge: that must be an error and no verdict.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import NOBODY, Done, Example, evalsi
from lessons import HELP, REFUSAL, rows_of
from scripted_judge import rating
from serving import Server
from sums import check_document, lasting

SPEC = "safety-regression.yaml"
RECORDS = 44


@pytest.fixture(scope="module")
def judge() -> Iterator[Any]:
    with rating(REFUSAL) as server:
        yield server


@pytest.fixture(scope="module")
def environment(judge: Any) -> dict[str, str]:
    """What names the scripted judge."""
    return {"EVALSI_JUDGE_MODEL": "scripted", "EVALSI_JUDGE_BASE_URL": judge.url}


@pytest.fixture(scope="module")
def changes(prompts: Path) -> tuple[str, ...]:
    """A sample with both kinds of prompts, as many of each as the file has."""
    sample = ("dataset.seed=1", "dataset.stratify=metadata.kind", f"dataset.path={prompts}")
    sets = ("target.max_tokens=24", *sample)
    return ("--limit", str(RECORDS), *(word for one in sets for word in ("--set", one)))


def of_kind(document: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [row for row in document["records"] if row["metadata"]["kind"] == kind]


def test_the_run_passes_and_its_numbers_add_up(done: Done, example: Example) -> None:
    document = example.document
    assert done.code == 0, done.error
    check_document(document, records=RECORDS)
    assert document["outputs"]["errors"] == 0
    assert (len(of_kind(document, "harmful")), len(of_kind(document, "benign"))) == (24, 20)


def test_refusals_are_counted_by_kind(example: Example) -> None:
    document = example.document
    by_text = {row["output"]["text"]: row["scores"]["refusal"] for row in document["records"]}
    assert (by_text[REFUSAL]["value"], by_text[HELP]["value"]) == (1.0, 0.0)
    for kind, name in (("harmful", "refusal[harmful]"), ("benign", "over-refusal[benign]")):
        values = [row["scores"]["refusal"]["value"] for row in of_kind(document, kind)]
        metric = document["metrics"][name]
        assert (metric["n"], metric["mean"]) == (
            len(values),
            pytest.approx(sum(values) / len(values)),
        )


def test_the_judge_rates_harmful_prompts_alone(example: Example) -> None:
    document = example.document
    for row in of_kind(document, "harmful"):
        expected = float(REFUSAL in row["output"]["text"])
        assert row["scores"]["harmlessness"]["value"] == expected
    benign = of_kind(document, "benign")
    assert {row["scores"]["harmlessness"]["status"] for row in benign} == {"skipped"}
    assert document["session"]["judge"]["failed"] == 0
    assert document["session"]["judge"]["requests"] > 0


def test_going_on_asks_neither_the_target_nor_the_judge(
    done: Done, example: Example, judge: Any, environment: dict[str, str]
) -> None:
    before, asked = example.document, len(judge.asked)
    again = example.run_offline(**environment | {"EVALSI_JUDGE_BASE_URL": NOBODY})
    assert (again.code, len(judge.asked)) == (0, asked)
    assert again.told["metrics"] == done.told["metrics"]
    assert example.document["records"] == before["records"]


def test_rescoring_asks_the_judge_and_gives_the_same_numbers(
    done: Done, example: Example, judge: Any, environment: dict[str, str], tmp_path: Path
) -> None:
    asked, new = len(judge.asked), tmp_path / "new.json"
    spec = tmp_path / "spec.yaml"
    spec.write_text(json.dumps(example.document["spec"]), "utf-8")
    words = ("rescore", str(example.out), "-f", str(spec), "--out", str(new))
    rescored = evalsi(*words, **environment)
    assert rescored.told["changed"] == []
    assert rescored.told["metrics"] == done.told["metrics"]
    assert len(judge.asked) > asked
    found = json.loads(new.read_text("utf-8"))
    assert lasting(found)["records"] == lasting(example.document)["records"]


def test_a_gate_on_over_refusal_fails(example: Example, environment: dict[str, str]) -> None:
    over = example.document["metrics"]["over-refusal[benign]"]
    gates = (
        f"gates=[{{metric: 'over-refusal[benign]', max: {over['hi']}}},"
        f" {{metric: harmlessness, min: 1, on: lo}}]"
    )
    gated = example.run_offline("--set", gates, **environment)
    assert gated.code == 3
    assert [gate["passed"] for gate in gated.told["gates"]] == [True, False]


def test_no_judge_is_exit_2_before_the_first_request(
    server: Server, changes: tuple[str, ...], tmp_path: Path
) -> None:
    asked = server.asked
    refused = Example(SPEC, server, tmp_path / "result.json", changes).run()
    assert (refused.code, server.asked) == (2, asked)
    assert "EVALSI_JUDGE_" in refused.error


def test_a_judge_that_cannot_judge_is_an_error_and_no_verdict(
    server: Server, changes: tuple[str, ...], tmp_path: Path
) -> None:
    example = Example(SPEC, server, tmp_path / "result.json", changes)
    tiny = {"model": server.model, "base_url": server.url, "max_tokens": 32, "reasks": 1}
    # So few that the run is not stopped before its end.
    told = example.run("--set", f"judge={json.dumps(tiny)}", "--limit", "20")
    document = example.document
    assert (told.code, document["verdict"]) == (4, "none")
    check_document(document, records=20)
    harmful = of_kind(document, "harmful")
    found = {(row["scores"]["harmlessness"]["status"]) for row in harmful}
    kinds = {row["scores"]["harmlessness"].get("kind") for row in harmful}
    assert (found, kinds) == ({"error"}, {"judge"})
    assert document["metrics"]["harmlessness"]["mean"] is None
    assert document["metrics"]["refusal"]["errors"] == 0


def test_the_prompts_are_the_packages_own(prompts: Path) -> None:
    kinds = [row["metadata"]["kind"] for row in rows_of(prompts)]
    assert (kinds.count("harmful"), kinds.count("benign")) == (60, 50)
