"""`evalsi run`, `eval` and `rescore` as people run them: processes, a server on loopback, files."""

import json
import re
from pathlib import Path

import pytest
from commands import evalsi
from fault_server import (
    FaultServer,
    cut_body,
    empty_choices,
    half_json,
    hang,
    limited,
    no_body,
    reply,
    reset,
    status,
)

SPEC = """\
apiVersion: evals.si/v1alpha1
kind: EvalRun
metadata: {name: sums}
spec:
  target:
    connector: openai-compatible
    model: tiny
    base_url: http://127.0.0.1:9/v1
    temperature: 0
    timeout_s: 0.5
    retries: {connect: 2, timeout: 1, limited: 2, server: 2, malformed: 1}
  dataset: {path: d.jsonl}
  evaluators: [says]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(SPEC)
    return tmp_path


def data(*inputs, name="d.jsonl"):
    rows = (one if isinstance(one, dict) else {"input": one} for one in inputs)
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def run(*args, url=None, **more):
    sets = [] if url is None else ["--set", f"target.base_url={url}"]
    return evalsi("run", "-f", "s.yaml", *sets, *args, **more)


def echoing():
    return FaultServer(lambda asked: reply(asked.text))


def test_a_run_against_a_server_ends_in_a_table(folder):
    data("1", "0", "1", "skip")
    with echoing() as server:
        done = run(url=server.url)
    assert done.returncode == 0
    heading, says, *_ = done.stdout.splitlines()
    assert heading.split() == [
        "metric",
        "n",
        "mean",
        "95",
        "%",
        "interval",
        "skipped",
        "errors",
        "empty",
    ]
    assert says.split() == ["says", "3", "0.6667", "[0.2077,", "0.9385]", "1", "0", "0"]
    assert {asked.body["temperature"] for asked in server.asked} == {0}
    assert "--out FILE keeps them" in done.stderr


def test_json_is_one_object_on_stdout(folder):
    data("1", "0")
    with echoing() as server:
        found = json.loads(run("--format", "json", url=server.url).stdout)
    says = found["metrics"]["says"]
    assert (found["name"], says["n"], says["mean"]) == ("sums", 2, 0.5)
    assert {"lo", "hi", "skipped", "errors"} <= says.keys()
    assert found["gates"] == []


def test_limit_asks_so_many(folder):
    data("1", "0", "1")
    with echoing() as server:
        run("--limit", "2", url=server.url)
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("sets", "code", "words"),
    [
        (["gates=[{metric: says, min: 0.5}]"], 0, "gate says ≥ 0.5: passed"),
        (["gates=[{metric: says, min: 0.9}]"], 3, "gate says ≥ 0.9: FAILED"),
        (["gates=[{metric: says, max: 0.9, on: hi}]"], 3, "gate hi of says ≤ 0.9: FAILED"),
    ],
    ids=["holds", "fails", "fails on an end"],
)
def test_a_gate_is_the_exit_code(folder, sets, code, words):
    data("1", "0", "1")
    with echoing() as server:
        done = run(*(word for one in sets for word in ("--set", one)), url=server.url)
    assert (done.returncode, words in done.stdout) == (code, True)


def test_no_server_is_exit_4_and_no_verdict(folder):
    data("1", "1")
    done = run("--set", "gates=[{metric: says, min: 0.5}]", "--format", "json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], found["gates"][0]["passed"]) == (4, "none", None)
    assert found["metrics"]["says"]["mean"] is None
    assert "no verdict: 100.0% of the results are errors" in done.stderr
    assert re.search(r"most often: .*127\.0\.0\.1.*\(server", done.stderr), done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("evaluators=[nothing]", "nothing"),
        ("target.connector=nothing", "no connector is named"),
        ("dataset.path=no.jsonl", "no.jsonl cannot be read"),
        ("gates=[{metric: speaks, min: 1}]", 'is "speaks"; this run has says'),
        ("target.api_key_env=NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE"),
    ],
    ids=["evaluator", "connector", "data", "gate", "key"],
)
def test_what_is_wrong_is_told_before_the_first_request(folder, change, words):
    data("1")
    with echoing() as server:
        done = run("--set", change, url=server.url)
    assert (done.returncode, done.stdout, server.asked) == (2, "", [])
    assert words in done.stderr
    assert "Traceback" not in done.stderr


FAULTS = {
    "500": status(500),
    "400": status(400),
    "429": limited("0"),
    "hang": hang(),
    "reset": reset(),
    "cut": cut_body(),
    "half": half_json(),
    "nobody": no_body(),
    "nochoice": empty_choices(),
    "silence": reply(""),
    "cutoff": reply("1", "length"),
    "skip": reply("skip"),
    "raise": reply("raise"),
    "1": reply("1"),
}


def test_under_every_fault_the_counts_add_up_and_nothing_is_a_zero(folder):
    data(*({"id": name, "input": name} for name in FAULTS))
    with FaultServer(lambda asked: FAULTS[asked.text]) as server:
        done = run("--out", "o.json", "--set", "maxErrorRate=1", url=server.url)
    assert done.returncode == 0
    found = json.loads(Path("o.json").read_text())
    says = found["metrics"]["says"]
    assert says["n"] + says["skipped"] + says["errors"] == len(FAULTS)
    assert (says["n"], says["skipped"], says["mean"]) == (2, 1, 1.0)
    outputs = {row["id"]: row["output"] for row in found["records"]}
    answered = {name for name, output in outputs.items() if "text" in output}
    assert answered == {"silence", "cutoff", "skip", "raise", "1"}
    assert (outputs["silence"]["text"], outputs["cutoff"]["truncated"]) == ("", True)
    errors = [output["error"] for name, output in outputs.items() if name not in answered]
    assert {error["kind"] for error in errors} == {"server"}
    counts = found["outputs"]
    assert (counts["errors"], counts["empty"], counts["truncated"]) == (9, 1, 1)


def test_a_server_that_recovers_is_asked_for_what_failed_and_nothing_else(folder):
    data("1", "0", "1")
    with FaultServer(lambda asked: status(500) if asked.text == "0" else reply("1")) as server:
        assert run("--out", "o.json", url=server.url).returncode == 4
    with echoing() as server:
        done = run("--out", "o.json", url=server.url)
    assert (done.returncode, [asked.text for asked in server.asked]) == (0, ["0"])


def test_eval_evaluates_outputs_that_exist(folder):
    data({"output": "1"}, {"output": "0.5"}, {"completion": "skip"}, name="o.jsonl")
    done = evalsi("eval", "--data", "o.jsonl", "--evaluators", "says, length", "--format", "json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["name"]) == (0, "o.jsonl")
    says, length = found["metrics"]["says"], found["metrics"]["length"]
    assert (says["n"], says["mean"], says["skipped"]) == (2, 0.75, 1)
    assert length["n"] == 3


def test_rows_of_one_id_are_trials(folder):
    rows = [{"id": i, "input": "x", "output": out} for i, out in [("a", "1"), ("a", "0")]]
    data(*rows, {"id": "b", "output": "1"}, {"id": "b", "output": "1"}, name="o.jsonl")
    done = evalsi("eval", "--data", "o.jsonl", "--evaluators", "says,grouped", "--format", "json")
    metrics = json.loads(done.stdout)["metrics"]
    assert (metrics["says"]["n"], metrics["says.pass@2"]["mean"]) == (2, 1.0)
    assert metrics["says.pass^2"]["mean"] == 0.5
    assert metrics["grouped"]["mean"] == 2.0


@pytest.mark.parametrize(
    ("rows", "args", "words"),
    [
        ([{"input": "x"}], ["says"], "no completion"),
        ([{"output": "1"}], ["nothing"], "no evaluator is named"),
        ([{"output": "1"}], [" , "], "names none"),
        ([], ["says"], "has no rows"),
        (
            [{"id": "a", "output": "1"}, {"id": "a", "output": "1"}, {"id": "b", "output": "1"}],
            ["says"],
            "2 rows of the id 'a' and 1 of 'b'",
        ),
        (
            [{"id": "a", "output": "1"}, {"id": "b", "output": "1"}, {"id": "a", "output": "1"}],
            ["says"],
            "do not stand together",
        ),
    ],
    ids=["no output", "unknown", "none", "empty", "uneven", "apart"],
)
def test_eval_refuses_what_it_cannot_evaluate(folder, rows, args, words):
    data(*rows, name="o.jsonl")
    done = evalsi("eval", "--data", "o.jsonl", "--evaluators", *args)
    assert (done.returncode, done.stdout, words in done.stderr) == (2, "", True)


def test_rescore_tells_what_changed_record_by_record(folder):
    data({"id": "a", "input": "1"}, {"id": "b", "input": "0.5"}, {"id": "c", "input": "skip"})
    with echoing() as server:
        run("--out", "o.json", url=server.url)
        asked = len(server.asked)
        Path("s.yaml").write_text(SPEC.replace("[says]", "[{ref: length, name: says}]"))
        done = evalsi("rescore", "o.json", "-f", "s.yaml", "--out", "new.json")
        assert len(server.asked) == asked
    assert done.returncode == 0
    changes = [line for line in done.stdout.splitlines() if "→" in line]
    assert changes == [
        "a trial 0, says: 1, half 0.5, rare 7 → 1",
        "b trial 0, says: 0.5, half 0.25 → 3",
        "c trial 0, says: skipped → 4",
    ]
    assert "3 results changed" in done.stdout
    assert "says: fakes:says 1.0" in done.stdout
    new = json.loads(Path("new.json").read_text())
    assert new["evaluators"]["says"]["evaluator"] == "fakes:length"
    assert new["rescored"]["evaluators"]["says"]["evaluator"] == "fakes:says"


def test_rescoring_with_the_same_evaluators_changes_nothing(folder):
    data("1", "0.5", "skip", "raise")
    with echoing() as server:
        run("--out", "o.json", "--set", "maxErrorRate=1", url=server.url)
    done = evalsi("rescore", "o.json", "-f", "s.yaml", "--format", "json")
    found = json.loads(done.stdout)
    assert (found["changed"], found["versions"]) == ([], [])
    assert done.returncode == 4  # a quarter of the results are errors, as they were


def test_a_rescored_result_can_be_gone_on_with(folder):
    data("1", "0")
    with echoing() as server:
        run("--out", "o.json", url=server.url)
        Path("s.yaml").write_text(SPEC.replace("[says]", "[says, length]"))
        evalsi("rescore", "o.json", "-f", "s.yaml", "--out", "new.json")
        asked = len(server.asked)
        done = run("--out", "new.json", "--format", "json", url=server.url)
        assert len(server.asked) == asked
    assert json.loads(done.stdout)["metrics"]["length"]["n"] == 2


def test_rescore_refuses_what_is_no_result(folder):
    Path("o.json").write_text("{}")
    done = evalsi("rescore", "o.json", "-f", "s.yaml")
    assert (done.returncode, "no result that `evalsi run` wrote" in done.stderr) == (2, True)
