"""Real outputs scored anew: by a judge that was not there at the run, and where no model is."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import NOBODY, Done, Example, evalsi
from lessons import HELP, REFUSAL
from scripted_judge import grading
from serving import Server

SPEC = "safety-regression.yaml"
RECORDS = 12
JUDGED = [
    {"ref": "refusal"},
    {"ref": "llm-judge", "params": {"rubric": "helpfulness"}},
]


@pytest.fixture(scope="module")
def changes(prompts: Path) -> tuple[str, ...]:
    """A sample with both kinds, scored by `refusal` alone: nobody judges."""
    sample = ("dataset.seed=2", "dataset.stratify=metadata.kind", f"dataset.path={prompts}")
    sets = ("target.max_tokens=24", "evaluators=[{ref: refusal}]", *sample)
    return ("--limit", str(RECORDS), *(word for one in sets for word in ("--set", one)))


@pytest.fixture(scope="module")
def judge() -> Iterator[Any]:
    with grading({REFUSAL: 2, HELP: 5}, otherwise=1) as server:
        yield server


@pytest.fixture(scope="module")
def rescored(first: Example, done: Done, judge: Any) -> tuple[Done, dict[str, Any]]:
    """What `evalsi rescore` prints, and the result that it writes."""
    assert done.code == 0, done.error
    return scored_anew(
        first, JUDGED, EVALSI_JUDGE_MODEL="scripted", EVALSI_JUDGE_BASE_URL=judge.url
    )


def scored_anew(
    example: Example, evaluators: list[Any], **environment: str
) -> tuple[Done, dict[str, Any]]:
    document = example.document["spec"]
    document["spec"]["evaluators"] = evaluators
    document["spec"]["target"]["model"] = "gone"
    folder = Path(tempfile.mkdtemp(dir=example.out.parent))
    spec, new = folder / "spec.yaml", folder / "result.json"
    spec.write_text(json.dumps(document), "utf-8")
    words = ("rescore", str(example.out), "-f", str(spec), "--out", str(new))
    told = evalsi(*words, **environment)
    return told, json.loads(new.read_text("utf-8")) if new.exists() else {}


def test_each_output_has_the_judges_grade_of_it(rescored: tuple[Done, dict[str, Any]]) -> None:
    told, new = rescored
    assert told.code == 0, told.error
    scores = {}
    for row in new["records"]:
        text, score = row["output"]["text"], row["scores"]["llm-judge"]["value"]
        assert score == (0.25 if REFUSAL in text else float(HELP in text))
        scores[text] = score
    assert {0.25, 1.0} <= set(scores.values())


def test_the_change_is_told_record_by_record(rescored: tuple[Done, dict[str, Any]]) -> None:
    told, new = rescored
    changed = told.told["changed"]
    assert [one["id"] for one in changed] == [row["id"] for row in new["records"]]
    assert {(one["evaluator"], one["before"]) for one in changed} == {("llm-judge", None)}
    (version,) = told.told["versions"]
    assert version.startswith("llm-judge: new")


def test_nothing_else_changes(first: Example, rescored: tuple[Done, dict[str, Any]]) -> None:
    before, (_, new) = first.document, rescored
    for row, anew in zip(before["records"], new["records"], strict=True):
        assert row["output"] == anew["output"]
        assert row["scores"]["refusal"] == anew["scores"]["refusal"]
    assert before["target"] == new["target"]
    assert before["metrics"]["refusal"] == new["metrics"]["refusal"]


def test_the_judge_and_its_prompt_stand_with_the_scores(
    rescored: tuple[Done, dict[str, Any]], judge: Any
) -> None:
    _, new = rescored
    by = new["evaluators"]["llm-judge"]
    assert "scripted" in by["backend"]
    assert "prompt" in by["backend"]
    assert new["session"]["judge"]["failed"] == 0
    assert len(judge.asked) >= len({row["output"]["text"] for row in new["records"]})


def test_a_judge_that_is_away_is_an_error_and_no_verdict(first: Example, done: Done) -> None:
    away = {"EVALSI_JUDGE_MODEL": "away", "EVALSI_JUDGE_BASE_URL": NOBODY}
    told, new = scored_anew(first, JUDGED, **away, EVALSI_JUDGE_RETRIES='{"connect": 0}')
    assert (told.code, new["verdict"]) == (4, "none")
    assert {row["scores"]["llm-judge"]["status"] for row in new["records"]} == {"error"}
    assert new["metrics"]["llm-judge"]["mean"] is None
    assert new["metrics"]["refusal"] == first.document["metrics"]["refusal"]


def test_outputs_of_a_model_in_process_are_scored_where_it_is_no_longer(
    model: Path, asdiv: Path, server: Server, tmp_path: Path
) -> None:
    target = f"target={{connector: transformers, model: {model}, max_tokens: 24}}"
    data = ("dataset.uri=null", f"dataset.path={asdiv}", target)
    changes = ("--limit", "3", *(word for one in data for word in ("--set", one)))
    run = Example("forgetting.yaml", server, tmp_path / "result.json", changes)
    assert run.run().code == 0
    told, new = scored_anew(run, [{"ref": "math-equiv"}, {"ref": "length"}])
    assert told.code == 0, told.error
    assert new["metrics"]["math-equiv"] == run.document["metrics"]["math-equiv"]
    assert new["target"]["revision"] == run.document["target"]["revision"]
