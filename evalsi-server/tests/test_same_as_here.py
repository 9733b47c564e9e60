"""The shared vectors through a real server: byte by byte what the same spec gives here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from printed import printed
from server_kit import Running

from evalsi.core.reward import RemoteServer, load_reward

FAKES = Path(__file__).parent / "fakes"
TESTDATA = Path(__file__).parents[2] / "testdata"
CASES = {
    case["name"]: case
    for name in ("reward_vectors.json", "peer_reward_cases.json")
    for case in json.loads((TESTDATA / name).read_text("utf-8"))["cases"]
}


@pytest.fixture(scope="module")
def url(writing):
    with Running(writing("any", "says"), "--allow-specs") as server:
        yield f"http://127.0.0.1:{server.port}"


def spec_of(case):
    """The case's spec, with the evaluator that says what the case states."""
    told = [
        {**part, "ref": "server-fakes:told", "name": name, "params": {"of": name}}
        for part in case["spec"]["components"]
        for name in [part.get("name", part["ref"].rpartition(":")[2])]
    ]
    return {**case["spec"], "components": told}


def rows_of(case):
    rows = case.get("rows", [{"id": "1", "components": case.get("components")}])
    return [{"id": row["id"], "completion": "", "results": row["components"]} for row in rows]


@pytest.fixture(scope="module")
def here():
    """What a process without a server prints of every case."""
    batches = [(spec_of(case), rows_of(case)) for case in CASES.values()]
    done = subprocess.run(
        [sys.executable, FAKES / "printed.py"],
        input=json.dumps(batches),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(FAKES)},
        text=True,
        check=True,
        timeout=120,
    )
    return dict(zip(CASES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_a_vector_gives_the_same_bytes_here_and_there(url, here, name):
    there = RemoteServer(url, evidence=True)
    spec, rows = spec_of(CASES[name]), rows_of(CASES[name])
    assert printed(load_reward(spec, server=there), rows) == here[name]


@pytest.mark.parametrize(
    "name", [name for name, case in CASES.items() if "error" not in case["want"]]
)
def test_a_vector_gives_there_what_it_states(url, name):
    case = CASES[name]
    found = load_reward(spec_of(case), server=url).score(rows_of(case))
    wanted = case["want"].get("rows", [case["want"]])
    assert [(repr(one.total), one.gated) for one in found] == [
        (repr(None if want["total"] is None else float(want["total"])), want["gated"])
        for want in wanted
    ]
