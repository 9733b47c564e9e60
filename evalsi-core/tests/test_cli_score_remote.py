"""`evalsi rewards score --server`: the lines, messages and exit codes of here."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from commands import evalsi
from fault_server import raw, reset
from reward_faults import problem, serving

from evalsi.core.plugins import PluginHost

SPEC = {
    "apiVersion": "evals.si/v1alpha1",
    "kind": "RewardSpec",
    "metadata": {"name": "test"},
    "spec": {"components": ["says"], "cache": False},  # the tests share one server's cache
}


@pytest.fixture(scope="module")
def host():
    return PluginHost([importlib.import_module("engine_fakes.plugin")])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(json.dumps(SPEC))
    rows = [{"completion": text, "note": 1} for text in ("1", "0.5", "skip", "1")]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def score(*args, spec="s.json", plugins=""):
    """The command, without any pack unless a test names one."""
    words = ("rewards", "score", "--spec", spec, "--data", "d.jsonl")
    return evalsi(*words, *args, EVALSI_PLUGINS=plugins)


@pytest.mark.parametrize("form", [(), ("--format", "table"), ("--evidence",)])
def test_the_output_is_that_of_scoring_here(folder, host, form):
    with serving(host) as server:
        there = score("--server", server.url, *form)
    here = score(*form, plugins="fakes")
    assert here.returncode == 0
    assert (there.stdout, there.returncode) == (here.stdout, 0)
    assert there.stderr.splitlines()[-1] == here.stderr.splitlines()[-1]


def test_a_file_goes_on_where_it_was_cut(folder, host):
    with serving(host) as server:
        score("--server", server.url, "--out", "whole.jsonl")
        score("--server", server.url, "--out", "cut.jsonl", "--limit", "2")
        done = score("--server", server.url, "--out", "cut.jsonl", "--resume")
        assert [len(one.body["rollouts"]) for one in server.asked if one.body["rollouts"]] == [
            *(4, 2, 2)
        ]
    assert done.returncode == 0
    assert [json.loads(line)["total"] for line in Path("cut.jsonl").read_text().splitlines()] == [
        1.0,
        0.5,
        None,
        1.0,
    ]
    assert json.loads(Path("cut.jsonl.by.json").read_text())["spec"] == "test"


def test_an_outage_ends_with_4_and_keeps_the_lines_before_it(folder, host):
    rows = "".join(json.dumps({"completion": "1"}) + "\n" for _ in range(600))
    Path("d.jsonl").write_text(rows)
    bug = raw({"error": {"kind": "internal", "message": "a bug", "retryable": False}}, 500)

    def fault_of(asked):
        return bug if any(row["id"] == "513" for row in asked.body["rollouts"]) else None

    with serving(host, fault_of=fault_of) as server:
        done = score("--server", server.url)
    assert done.returncode == 4
    assert len(done.stdout.splitlines()) == 512
    assert server.url in done.stderr


def test_a_broken_connection_costs_a_try(folder, host):
    with serving(host, [reset()]) as server:
        assert score("--server", server.url).returncode == 0


def test_a_spec_that_the_server_refuses_ends_with_2(folder, host):
    Path("s.json").write_text(json.dumps({**SPEC, "spec": {"components": ["say"]}}, indent=1))
    with serving(host) as server:
        done = score("--server", server.url)
    assert done.returncode == 2
    assert 's.json:9:4: spec.components[0].ref: no evaluator is named "say"' in done.stderr


def test_what_the_server_forbids_ends_with_2(folder, host):
    with serving(host, [problem(403, "forbidden", "only its own specs")]) as server:
        done = score("--server", server.url)
    assert (done.returncode, done.stdout) == (2, "")
    assert "answered 403: only its own specs" in done.stderr


def test_the_width_of_this_machine_says_nothing_there(folder):
    done = score("--server", "http://localhost:5000", "--concurrency", "2")
    assert done.returncode == 2
    assert "--concurrency is of this machine" in done.stderr
