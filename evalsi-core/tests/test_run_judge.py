"""Judges in runs: none is asked by surprise, and one that fails is an error."""

import json

import pytest
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
from run_fakes import Obeys
from run_kit import counts, document, go

from evalsi.core import DataError, SpecError


@pytest.fixture(autouse=True)
def fresh():
    Obeys.forget()


def test_an_evaluator_that_needs_a_judge_is_refused_where_there_is_none(monkeypatch):
    monkeypatch.delenv("EVALSI_JUDGE_MODEL", raising=False)
    monkeypatch.delenv("EVALSI_JUDGE_BASE_URL", raising=False)
    with pytest.raises(SpecError, match=r"runs:asks needs a judge.*EVALSI_JUDGE_MODEL"):
        go(["1"], "asks")
    assert Obeys.asked == []


def test_what_a_judge_cost_stands_in_the_session(tmp_path):
    with FaultServer([reply(json.dumps({"right": True}), tokens=(7, 3))]) as server:
        judge = {"model": "m", "base_url": server.url, "input_price": 1.0, "output_price": 1.0}
        outcome = go(["1", "0"], "asks", judge=judge, out=tmp_path / "o.json")
    assert outcome.metrics["asks"].mean == 1.0
    usage = document(tmp_path / "o.json")["session"]["judge"]
    assert (usage["questions"], usage["requests"], usage["input_tokens"]) == (2, 2, 14)
    assert usage["cost"] == pytest.approx(20e-6)


@pytest.mark.parametrize("setting", ["MODEL", "SEED", "MAX_TOKENS"])
def test_a_run_does_not_go_on_with_another_judge_of_the_environment(tmp_path, monkeypatch, setting):
    monkeypatch.setenv("EVALSI_JUDGE_MODEL", "4")
    with FaultServer([reply('{"right": true}')]) as server:
        monkeypatch.setenv("EVALSI_JUDGE_BASE_URL", server.url)
        go(["1"], "asks", out=tmp_path / "o.json")
        monkeypatch.setenv(f"EVALSI_JUDGE_{setting}", "5")
        with pytest.raises(DataError, match=r"other evaluators \(asks: .*, now .*5"):
            go(["1"], "asks", out=tmp_path / "o.json")


FAULTS = {
    "500": status(500),
    "429": limited("0"),
    "a hang": hang(),
    "a reset": reset(),
    "half a body": cut_body(),
    "half of JSON": half_json(),
    "no body": no_body(),
    "no choice": empty_choices(),
    "silence": reply(""),
    "prose": reply("I would say that it is right."),
    "another answer": reply('{"right": "perhaps"}'),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_judge_that_gives_no_verdict_is_an_error_and_no_zero(fault):
    once = {"connect": 1, "timeout": 0, "limited": 1, "server": 1, "malformed": 1}
    right = reply(json.dumps({"right": True}))
    with FaultServer(lambda asked: fault if "no verdict" in str(asked.body) else right) as server:
        judge = {"model": "m", "base_url": server.url, "timeout_s": 0.4, "retries": once}
        outcome = go(["1", "no verdict", "empty"], "asks", judge={**judge, "reasks": 1})
    asks = outcome.metrics["asks"]
    assert counts(asks) == (2, 0, 1, 1)
    assert (asks.mean, outcome.outputs["errors"]) == (1.0, 0)


def test_a_judge_that_is_down_leaves_no_verdict_though_the_rest_is_measured():
    with FaultServer([status(500)]) as server:
        judge = {"model": "m", "base_url": server.url, "retries": {"server": 1}, "reasks": 0}
        outcome = go(["1", "0"], "asks", "says", judge=judge, maxErrorRate=0.5)
    assert (outcome.metrics["asks"].mean, outcome.verdict) == (None, "none")
    assert outcome.metrics["says"].mean == 0.5
