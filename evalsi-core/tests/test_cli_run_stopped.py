"""`evalsi run` against a server that is down, and again when it is up."""

import json
from pathlib import Path

import pytest
from commands import evalsi
from fault_server import FaultServer, reply, status

SPEC = """\
apiVersion: evals.si/v1alpha1
kind: EvalRun
metadata: {name: down}
spec:
  target: {connector: openai-compatible, model: tiny, retries: {server: 0}}
  dataset: {path: d.jsonl}
  evaluators: [says]
"""


def run(url):
    words = "run -f s.yaml --out r.json --format json"
    return evalsi(*words.split(), "--set", f"target.base_url={url}")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text(SPEC)
    rows = ({"input": "1", "id": f"r{number}"} for number in range(200))
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_run_that_was_stopped_says_why_and_goes_on():
    fault = status(503, "being repaired")
    with FaultServer(lambda asked: reply("1") if asked.number < 50 else fault) as server:
        stopped = run(server.url)
    told = json.loads(stopped.stdout)
    assert (stopped.returncode, told["verdict"], told["metrics"]["says"]["mean"]) == (4, "none", 1)
    assert sum(told["metrics"]["says"][name] for name in ("n", "skipped", "errors")) == 200
    assert "being repaired" in told["stopped"]
    assert stopped.stderr == told["stopped"] + "\n"
    assert len(server.asked) < 120
    with FaultServer([reply("1")]) as server:
        done = json.loads(run(server.url).stdout)
    assert (done["metrics"]["says"]["n"], done["verdict"]) == (200, "passed")
    assert len(server.asked) == 150


def test_a_run_goes_on_when_its_key_has_been_mended():
    with FaultServer([status(401, "bad key")]) as server:
        stopped = run(server.url)
    assert (stopped.returncode, len(server.asked) < 50) == (4, True)
    with FaultServer([reply("1")]) as server:
        done = json.loads(run(server.url).stdout)
    assert (done["metrics"]["says"]["n"], len(server.asked)) == (200, 200)
