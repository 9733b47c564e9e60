"""A run that can have no verdict any more stops early, and goes on when it is started again."""

import pytest
from fault_server import FaultServer, reply, status
from run_fakes import Obeys
from run_kit import document, go, rows

from evalsi.core.run import RunStopped


def asked(inputs, **body):
    """How many outputs a run asks for that stops."""
    Obeys.forget()
    with pytest.raises(RunStopped) as raised:
        go(inputs, maxErrorRate=0.05, concurrency=4, **body)
    return len(Obeys.asked), str(raised.value)


def test_a_run_whose_server_is_down_asks_no_further():
    count, told = asked(["away"] * 500)
    assert 26 <= count <= 30
    assert "26 of 500 results of the target are errors, the last 26 without a break" in told
    assert "most often: the server is away" in told


def test_trials_count_as_outputs():
    count, told = asked(["away"] * 100, trials=4)
    assert 21 <= count <= 25
    assert "21 of 400" in told


def test_a_few_failures_at_the_start_stop_nothing():
    outcome = go(["away"] * 24 + ["1"] * 476, maxErrorRate=0.05, concurrency=4)
    assert (outcome.outputs["asked"], outcome.verdict) == (500, "passed")


def test_a_server_that_fails_now_and_then_is_asked_to_the_end():
    outcome = go(["away", "away", "1"] * 50, maxErrorRate=0.05, concurrency=4)
    assert (outcome.outputs["asked"], outcome.verdict) == (150, "none")


def test_a_run_that_takes_every_error_is_never_stopped():
    assert go(["away"] * 100, maxErrorRate=1).outputs["errors"] == 100


@pytest.mark.parametrize("fault", ["broken", "refused"])
def test_failures_that_are_no_outage_stop_nothing(fault):
    assert go([fault] * 100, maxErrorRate=0.05).outputs["errors"] == 100


def test_a_judge_that_is_down_stops_the_run():
    judge = {"model": "j", "retries": dict.fromkeys(("server", "connect"), 0)}
    with FaultServer([status(503)]) as server, pytest.raises(RunStopped) as raised:
        go(["1"] * 500, "asks", judge={**judge, "base_url": server.url}, maxErrorRate=0.05)
    assert "results of asks are errors" in str(raised.value)
    assert len(server.asked) < 500


def test_what_was_got_is_kept_and_the_rest_is_asked_again(tmp_path):
    out = tmp_path / "result.json"
    first = ["1"] * 30 + ["away"] * 70
    with pytest.raises(RunStopped):
        go(first, maxErrorRate=0.05, concurrency=4, out=out)
    Obeys.forget()
    with pytest.raises(RunStopped):
        go(first, maxErrorRate=0.05, concurrency=4, out=out)
    assert not set(range(30)) & {int(name) for name, _ in Obeys.asked}


@pytest.mark.parametrize("where", [None, "result.json"], ids=["nowhere", "a file"])
def test_the_counts_of_a_run_that_was_stopped_add_up(tmp_path, where):
    out = where and tmp_path / where
    with pytest.raises(RunStopped) as raised:
        go(["1", "skip", "empty"] + ["away"] * 97, maxErrorRate=0.05, concurrency=4, out=out)
    outcome = raised.value.outcome
    says, outputs = outcome.metrics["says"], outcome.outputs
    assert (says.n, says.skipped, says.mean) == (1, 1, 1.0)
    assert says.n + says.skipped + says.errors == 100
    assert outputs["asked"] + outputs["unasked"] == 100
    assert 16 <= outputs["errors"] < 30
    assert (outcome.verdict, outcome.cause) == ("none", "the server is away (server)")
    if out:
        assert document(out)["stopped"] == outcome.stopped == str(raised.value)
        assert len(rows(out)) == 100
        assert not (tmp_path / "result.json.journal").exists()


def test_outputs_that_a_judge_did_not_see_are_kept_and_not_scored(tmp_path):
    out = tmp_path / "result.json"
    judge = {"model": "j", "retries": dict.fromkeys(("server", "connect"), 0)}
    body = {"maxErrorRate": 0.05, "out": out}
    with FaultServer([status(503)]) as server, pytest.raises(RunStopped) as raised:
        go(["1"] * 300, "asks", judge={**judge, "base_url": server.url}, **body)
    asks = raised.value.outcome.metrics["asks"]
    assert (asks.n, asks.errors, asks.mean) == (0, 300, None)
    held = {row["id"] for row in rows(out) if "text" in row["output"]}
    Obeys.forget()
    with FaultServer([reply('{"right": true}')]) as server:
        again = go(["1"] * 300, "asks", judge={**judge, "base_url": server.url}, **body)
    assert again.metrics["asks"].mean == 1.0
    assert len(Obeys.asked) == 300 - len(held)
