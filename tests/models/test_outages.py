"""A real server that goes away, and one that refuses: errors with a cause, and never a 0."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import NOBODY, Example, over_file
from serving import Server, serving
from sums import check_document, lasting

RECORDS = 12
IMPATIENT = ("--set", "target.retries.connect=0")


@pytest.fixture
def changes(problems: Path) -> tuple[str, ...]:
    return over_file(problems, RECORDS)


def test_a_run_whose_server_died_goes_on_with_the_next_one(
    model: Path, server: Server, changes: tuple[str, ...], tmp_path: Path
) -> None:
    with serving(model, tmp_path / "log") as mortal:
        run = Example("forgetting.yaml", mortal, tmp_path / "result.json", changes)
        with run.under_way(*IMPATIENT, outputs=4) as process:
            mortal.kill()
    document = run.document
    assert (process.returncode, document["verdict"]) == (4, "none")
    check_document(document, records=RECORDS)
    lost = document["metrics"]["math-equiv"]["errors"]
    assert 0 < lost <= RECORDS - 4

    asked = server.asked
    next_one = Example(run.name, server, run.out, changes)
    assert (next_one.run().code, server.asked - asked) == (0, lost)
    undisturbed = Example(run.name, server, tmp_path / "undisturbed.json", changes)
    assert undisturbed.run().code == 0
    assert lasting(next_one.document) == lasting(undisturbed.document)


def test_a_name_that_the_server_refuses_is_an_error_of_every_record(
    server: Server, changes: tuple[str, ...], tmp_path: Path
) -> None:
    wrong = Example("forgetting.yaml", server, tmp_path / "result.json", changes)
    told = wrong.run("--set", "target.model=nobody")
    metric = told.told["metrics"]["math-equiv"]
    assert (told.code, metric["errors"], metric["n"], metric["mean"]) == (4, RECORDS, 0, None)
    causes = {row["output"]["error"]["message"] for row in wrong.document["records"]}
    assert len(causes) == 1
    assert "400" in causes.pop()


def test_outputs_of_a_result_are_replayed_where_no_server_is(
    server: Server, changes: tuple[str, ...], tmp_path: Path
) -> None:
    first = Example("forgetting.yaml", server, tmp_path / "result.json", changes)
    measured = first.run()
    replay = f"target={{connector: replay, path: {first.out}}}"
    again = Example(first.name, Server(NOBODY, "", server.log), tmp_path / "again.json", changes)
    replayed = again.run("--set", replay)
    assert (measured.code, replayed.code) == (0, 0)
    assert replayed.told["metrics"] == measured.told["metrics"]


def test_a_seed_gives_the_same_samples_again(
    server: Server, changes: tuple[str, ...], tmp_path: Path
) -> None:
    # One at a time: this server's generator is that of its whole process.
    seeded = ("--set", "target.seed=7", "--set", "trials=3", "--set", "concurrency=1")
    runs = [
        Example("sampling.yaml", server, tmp_path / name, (*changes, *seeded))
        for name in ("first.json", "second.json")
    ]
    assert [run.run().code for run in runs] == [0, 0]
    first, second = (lasting(run.document)["records"] for run in runs)
    assert first == second
    texts = [row["output"]["text"] for row in first]
    assert any(len(set(texts[at : at + 3])) > 1 for at in range(0, len(texts), 3))
