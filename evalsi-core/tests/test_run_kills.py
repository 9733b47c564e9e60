"""A run that is killed with SIGKILL, at random moments, goes on where it stood."""

import json
import os
import random
import signal
import time

import pytest
from commands import Running
from fault_server import FaultServer, reply, slow

KILLS = 20
RECORDS = 250
TRIALS = 2
SPEC = """\
apiVersion: evals.si/v1alpha1
kind: EvalRun
metadata: {name: killed}
spec:
  target: {connector: openai-compatible, model: tiny, base_url: %s, seed: 0, temperature: 1}
  dataset: {path: d.jsonl}
  evaluators: [says, grouped]
  trials: %d
  concurrency: 4
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ({"id": f"r{n}", "input": str(n / RECORDS)} for n in range(RECORDS))
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def serving():
    return FaultServer(lambda asked: slow(0.004, reply(asked.text)))


def start(folder, out, url):
    (folder / "s.yaml").write_text(SPEC % (url, TRIALS))
    return Running("run", "-f", "s.yaml", "--out", out)


def journalled(folder):
    """The requests whose outputs the journal has: record and trial."""
    path = folder / "killed.json.journal"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(row["record"], row["trial"]) for row in rows if "output" in row}


def asked_for(asked):
    return round(float(asked.text) * RECORDS), asked.body["seed"]


def result(path):
    found = json.loads(path.read_text())
    del found["session"]
    found["spec"]["spec"]["target"].pop("base_url")
    found["target"].pop("base_url")
    del found["spec_hash"]
    for row in found["records"]:
        del row["output"]["seconds"]
    return found


def kill_at(process, folder, lines, chance):
    """Kills the run when its journal has so many outputs more, or a little later."""
    before = len(journalled(folder))
    deadline = time.monotonic() + 60
    while process.poll() is None and len(journalled(folder)) < before + lines:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    time.sleep(chance.random() * 0.01)
    return process.kill() == -signal.SIGKILL


def test_killed_at_random_moments_it_gives_the_undisturbed_result_and_repeats_no_request(folder):
    chance = random.Random(5)
    with serving() as server:
        assert start(folder, "whole.json", server.url).wait(60) == 0
    with serving() as server:
        for _ in range(KILLS):
            had, first = journalled(folder), len(server.asked)
            process = start(folder, "killed.json", server.url)
            assert kill_at(process, folder, chance.randint(1, 8), chance)
            assert not had & {asked_for(asked) for asked in server.asked[first:]}
        had, first = journalled(folder), len(server.asked)
        assert start(folder, "killed.json", server.url).wait(60) == 0
        rest = [asked_for(asked) for asked in server.asked[first:]]
    assert len(rest) == RECORDS * TRIALS - len(had)
    assert result(folder / "killed.json") == result(folder / "whole.json")
    assert sorted(path.name for path in folder.glob("killed*")) == ["killed.json"]


def test_killed_while_the_result_is_written_it_is_whole_or_absent(folder):
    chance = random.Random(7)
    out = folder / "killed.json"
    with serving() as server:
        assert start(folder, "whole.json", server.url).wait(60) == 0
        kill_at(start(folder, "killed.json", server.url), folder, RECORDS * TRIALS - 1, chance)
        for _ in range(5):
            process = start(folder, "killed.json", server.url)
            deadline = time.monotonic() + 60
            while process.poll() is None and not list(folder.glob(".killed.json.*")):
                assert time.monotonic() < deadline
            time.sleep(chance.random() * 0.004)
            process.kill()
            assert not out.exists() or result(out) == result(folder / "whole.json")
        assert start(folder, "killed.json", server.url).wait(60) == 0
    assert result(out) == result(folder / "whole.json")
    assert len(server.asked) <= 2 * RECORDS * TRIALS + 4


def test_an_interrupt_is_one_line_and_the_run_goes_on_later(folder):
    with serving() as server:
        process = start(folder, "killed.json", server.url)
        deadline = time.monotonic() + 60
        while len(journalled(folder)) < 20:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
        had, first = journalled(folder), len(server.asked)
        assert start(folder, "killed.json", server.url).wait(60) == 0
        assert len(server.asked) - first == RECORDS * TRIALS - len(had)


def test_two_runs_do_not_write_one_result(folder):
    with FaultServer(lambda asked: slow(0.05, reply(asked.text))) as server:
        first = start(folder, "killed.json", server.url)
        deadline = time.monotonic() + 60
        while not journalled(folder):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        second = start(folder, "killed.json", server.url)
        assert second.wait(60) == 2
        assert first.poll() is None
        first.kill()
