"""The result of a run: what it says, and how a run goes on with it."""

import json

import pytest
import run_fakes
from run_fakes import Obeys
from run_kit import document, go, made, rows

from evalsi.core import DataError, Score
from evalsi.core.run import run
from evalsi.core.run.document import ResultFile


@pytest.fixture(autouse=True)
def fresh():
    Obeys.forget()


def test_the_result_says_what_was_asked_by_whom_and_of_whom(tmp_path):
    go([{"id": "a", "input": "1", "reference": "r", "level": 3}], out=tmp_path / "o.json")
    found = document(tmp_path / "o.json")
    (row,) = found["records"]
    assert (row["id"], row["input"], row["reference"]) == ("a", "1", "r")
    assert (row["metadata"], row["output"]["text"]) == ({"level": 3}, "1")
    assert row["scores"]["says"]["metrics"] == {"half": 0.5, "rare": 7.0}
    assert found["dataset"]["ids"] == ["a"]
    assert len(found["dataset"]["hash"]) == len(found["spec_hash"]) == 64
    assert found["target"]["connector"] == "runs:obeys"
    assert found["evaluators"]["says"]["evaluator"] == "engine_fakes:says"
    assert found["metrics"]["says"]["mean"] == 1.0
    assert found["verdict"] == "passed"


def test_the_document_reads_line_by_line_as_it_reads_whole(tmp_path):
    out = tmp_path / "o.json"
    go([{"input": 'tricky "],\n]', "x": "]"}, "1", "away"], out=out)
    lines, whole = ResultFile.of(out), document(out)
    assert list(lines.rows()) == whole["records"]
    assert {**lines.head, **lines.tail} == {k: v for k, v in whole.items() if k != "records"}


def test_output_of_any_characters_survives(tmp_path):
    texts = ["\ud800", "\x00\x1b[2J", "\u2028", "é" * 5000]
    lines = [json.dumps({"input": text}) + "\n" for text in texts]
    (tmp_path / "d.jsonl").write_text("".join(lines))
    data = {"path": str(tmp_path / "d.jsonl")}
    go([], "length", out=tmp_path / "o.json", dataset=data)
    assert [row["output"]["text"] for row in rows(tmp_path / "o.json")] == texts


def test_a_run_leaves_the_result_and_nothing_else(tmp_path):
    go(["1", "away"], out=tmp_path / "o.json")
    assert [path.name for path in tmp_path.iterdir()] == ["o.json"]


def test_a_run_that_is_done_asks_nothing_when_it_is_started_again(tmp_path):
    out = tmp_path / "o.json"
    go(["1", "0", "empty", "refused"], out=out)
    before = document(out)
    asked = len(Obeys.asked)
    go(["1", "0", "empty", "refused"], out=out)
    after = document(out)
    assert len(Obeys.asked) == asked
    del before["session"], after["session"]
    assert before == after


def test_what_failed_for_a_reason_that_may_pass_is_asked_again_and_only_that(tmp_path):
    inputs = ["1", "away", "0", "refused"]
    go(inputs, out=tmp_path / "o.json")
    Obeys.asked = []
    go(inputs, out=tmp_path / "o.json")
    assert Obeys.asked == [("2", 0)]


def test_an_evaluator_that_was_away_is_asked_again_and_the_model_is_not(tmp_path, monkeypatch):
    out = tmp_path / "o.json"
    assert go(["nth away", "1"], "outage", out=out).metrics["outage"].errors == 1
    back = Score(0.5, stable=False)  # which the cache does not keep for the tests after this one
    monkeypatch.setattr("engine_fakes.reward.Outage.score", lambda self, record: back)
    asked = len(Obeys.asked)
    outage = go(["nth away", "1"], "outage", out=out).metrics["outage"]
    assert (outage.errors, outage.mean) == (0, 0.75)
    assert len(Obeys.asked) == asked


def test_gates_may_be_moved_without_asking_again(tmp_path):
    out = tmp_path / "o.json"
    go(["1", "0"], out=out)
    Obeys.asked = []
    outcome = go(["1", "0"], out=out, gates=[{"metric": "says", "min": 0.9}])
    assert (outcome.verdict, Obeys.asked) == ("failed", [])
    assert document(out)["verdict"] == "failed"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"target": {"temperature": 0.5}}, "another spec"),
        ({"evaluators": ["says", "length"]}, "another spec"),
        ({"inputs": ["1", "0.5"]}, "other records"),
        ({"trials": 2}, "another spec"),
    ],
    ids=["sampling", "evaluators", "records", "trials"],
)
def test_another_runs_result_is_refused(tmp_path, change, words):
    out = tmp_path / "o.json"
    go(["1", "0"], out=out)
    before = out.read_bytes()
    given = {"inputs": ["1", "0"], "evaluators": ["says"]} | change
    with pytest.raises(DataError, match=words):
        go(given.pop("inputs"), *given.pop("evaluators"), out=out, **given)
    assert out.read_bytes() == before


def test_scores_of_another_version_are_not_mixed_in(tmp_path, monkeypatch):
    rows = {"inline": {"records": [{"input": "1"}]}}
    spec = {"target": {"connector": "echo"}, "dataset": rows, "evaluators": ["finish"]}
    run(spec, out=tmp_path / "o.json", host=made())
    monkeypatch.setattr(run_fakes, "version", "2.0")
    told = r"other evaluators \(finish: run-fakes 1\.0, now run-fakes 2\.0\).*evalsi rescore"
    with pytest.raises(DataError, match=told):
        run(spec, out=tmp_path / "o.json", host=made())


def test_a_file_that_is_no_result_is_not_overwritten(tmp_path):
    out = tmp_path / "o.json"
    out.write_text("my notes")
    with pytest.raises(DataError, match="no result that `evalsi run` wrote"):
        go(["1"], out=out)
    assert out.read_text() == "my notes"


def test_an_out_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path):
    with pytest.raises(DataError, match="check --out"):
        go(["1"], out=tmp_path / "no folder" / "o.json")
    assert Obeys.asked == []
