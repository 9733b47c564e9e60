"""forgetting.yaml, on GSM8K's problems: some that the model knows, and some that it does not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Done, Example, evalsi, over_file
from lessons import KNOWN, answer_to, rows_of
from serving import Server
from sums import check_document, lasting

SPEC = "forgetting.yaml"
RECORDS = KNOWN + 4
OVER_HUB = ("--limit", str(RECORDS), "--set", "target.max_tokens=24")
FAILING = ("--set", "gates=[{metric: math-equiv, min: 0.3}, {metric: math-equiv, min: 1}]")


@pytest.fixture(scope="module")
def changes(problems: Path) -> tuple[str, ...]:
    return over_file(problems, RECORDS)


def test_the_run_passes_and_its_numbers_add_up(done: Done, example: Example) -> None:
    document = example.document
    assert done.code == 0, done.error
    assert done.told["verdict"] == document["verdict"] == "passed"
    assert done.told["metrics"] == document["metrics"]
    check_document(document, records=RECORDS)
    assert document["outputs"]["errors"] == 0


def test_each_output_scores_what_its_problem_says(example: Example, problems: Path) -> None:
    rows = example.document["records"]
    wanted = [answer_to(problem) for problem in rows_of(problems)[:RECORDS]]
    scores = [row["scores"]["math-equiv"]["value"] for row in rows]
    assert scores == [
        float(row["output"]["text"] == text) for row, text in zip(rows, wanted, strict=True)
    ]
    assert scores[:KNOWN] == [1.0] * KNOWN


def test_gates_are_judged_anew_without_a_request(
    done: Done, example: Example, server: Server
) -> None:
    before, asked = example.document, server.asked
    gated = example.run_offline(*FAILING)
    assert (gated.code, server.asked) == (3, asked)
    assert [gate["passed"] for gate in gated.told["gates"]] == [True, False]
    assert gated.told["metrics"] == done.told["metrics"]
    assert example.document["records"] == before["records"]


def test_rescoring_gives_the_same_numbers(done: Done, example: Example, tmp_path: Path) -> None:
    new = tmp_path / "new.json"
    spec = str(example.out.parent / "spec.yaml")
    Path(spec).write_text(json.dumps(example.document["spec"]), "utf-8")
    rescored = evalsi("rescore", str(example.out), "-f", spec, "--out", str(new))
    assert (rescored.told["changed"], rescored.told["versions"]) == ([], [])
    assert rescored.told["metrics"] == done.told["metrics"]
    assert json.loads(new.read_text("utf-8"))["records"] == example.document["records"]


def test_another_limit_is_another_run(example: Example) -> None:
    other = example.run_offline("--limit", "3")
    assert other.code == 2
    assert "other records" in other.error


def test_a_killed_run_asks_for_nothing_twice(
    example: Example, server: Server, tmp_path: Path
) -> None:
    killed = Example(example.name, server, tmp_path / "killed.json", example.changes)
    asked = server.asked
    with killed.under_way(outputs=3) as process:
        os.killpg(process.pid, signal.SIGKILL)
    assert 3 <= killed.answered < RECORDS
    assert killed.run().code == 0
    assert RECORDS <= server.asked - asked <= RECORDS + 1  # one was on its way at the kill
    assert lasting(killed.document) == lasting(example.document)


def test_the_hubs_name_is_found_in_the_local_cache(
    example: Example, server: Server, problems: Path, tmp_path: Path
) -> None:
    home = {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    script = [sys.executable, str(Path(__file__).with_name("hub_cache.py")), str(problems)]
    subprocess.run(script, check=True, timeout=120, env={**os.environ, **home})
    hub = Example(example.name, server, tmp_path / "hub.json", OVER_HUB)
    assert hub.run(**home).code == 0
    document = hub.document
    assert document["dataset"]["source"] == "hf://openai/gsm8k?config=main&split=test"
    assert document["dataset"]["hash"] == example.document["dataset"]["hash"]
    assert document["metrics"] == example.document["metrics"]


def test_a_hubs_name_that_is_not_there_is_exit_2(server: Server, tmp_path: Path) -> None:
    asked = server.asked
    hub = Example(SPEC, server, tmp_path / "hub.json", OVER_HUB)
    told = hub.run(HF_HOME=str(tmp_path / "home"))
    assert (told.code, server.asked) == (2, asked)
    assert "hf://openai/gsm8k?config=main&split=test cannot be loaded" in told.error
