"""A run in numbers: what is measured, what is not, and what that comes to."""

import asyncio

import pytest
from run_fakes import Obeys
from run_kit import counts, go, rows

from evalsi.core import SpecError


@pytest.fixture(autouse=True)
def fresh():
    Obeys.forget()


def test_outputs_are_evaluated_and_summed_up():
    says = go(["1", "0.5", "0", "skip"]).metrics["says"]
    assert (says.n, says.mean, says.skipped, says.errors) == (3, 0.5, 1, 0)


def test_what_was_not_measured_is_told_apart_and_is_never_zero(tmp_path):
    inputs = ["1", "skip", "away", "refused", "broken", "nothing", "raise", "empty", "dropped"]
    outcome = go(inputs, out=tmp_path / "o.json")
    says, outputs = outcome.metrics["says"], outcome.outputs
    assert (says.n, says.mean, says.skipped, says.errors) == (1, 1.0, 1, 7)
    assert says.n + says.skipped + says.errors == len(inputs)
    assert (outputs["asked"], outputs["errors"], outputs["empty"]) == (9, 5, 1)
    kinds = [row["output"].get("error", {}).get("kind") for row in rows(tmp_path / "o.json")]
    assert kinds == [None, None, *["server"] * 2, "evaluator", "server", None, None, "evaluator"]


def test_an_empty_output_is_evaluated_and_counted():
    metric = go(["empty", "x"], "length").metrics["length"]
    assert (metric.mean, counts(metric)) == (0.5, (2, 0, 0, 1))


def test_an_output_that_was_cut_is_evaluated_and_flagged(tmp_path):
    outcome = go(["long", "1"], "finish", out=tmp_path / "o.json")
    assert (outcome.outputs["truncated"], outcome.metrics["finish"].mean) == (1, 0.5)
    first, second = rows(tmp_path / "o.json")
    assert first["output"]["truncated"] is True
    assert first["scores"]["finish"]["evidence"] == 5
    assert "truncated" not in second["output"]


def test_tokens_are_counted():
    outputs = go(["1", "1", "long"]).outputs
    assert (outputs["input_tokens"], outputs["output_tokens"]) == (4, 7)


def test_requests_in_flight_are_bounded_and_many():
    go(["1"] * 40, concurrency=8, target={"wait_s": 0.02})
    assert Obeys.most_at_once == 8


def test_every_trial_is_a_request_of_its_own():
    outcome = go(["nth 1 0 1 1", "nth 0 0 0 0"], trials=4)
    assert Obeys.asked == [("1", 0), ("1", 1), ("1", 2), ("1", 3)] + [("2", n) for n in range(4)]
    metrics = outcome.metrics
    assert metrics["says"].mean == pytest.approx(0.375)
    assert (metrics["says.pass@4"].mean, metrics["says.pass^4"].mean) == (0.5, 0.0)


def test_a_gate_may_hold_pass_at_k():
    gate = {"metric": "says.pass@2", "min": 0.99}
    outcome = go(["nth 1 0 1 1"], trials=4, gates=[gate])
    assert (outcome.metrics["says.pass@2"].mean, outcome.verdict) == (1.0, "passed")


def test_group_scope_sees_all_trials_of_a_record_and_no_other():
    metric = go(["nth 1 1 2 3", "nth 5 5 5 5"], "apart", trials=4).metrics["apart"]
    assert metric.mean == pytest.approx((0.75 + 0.25) / 2)


def test_group_scope_takes_the_trials_that_there_are(tmp_path):
    # Three trials answer; the fourth has no value to give, which is the connector's error.
    outcome = go(["nth 1 1 2"], "apart", trials=4, out=tmp_path / "o.json")
    statuses = [row["scores"]["apart"]["status"] for row in rows(tmp_path / "o.json")]
    assert statuses == ["scored"] * 3 + ["error"]
    assert outcome.metrics["apart"].mean == pytest.approx(2 / 3)


def test_a_greedy_target_is_not_asked_for_trials_unless_told():
    with pytest.raises(SpecError, match=r"trials is 4, and the target is greedy.*repeatGreedy"):
        go(["1"], trials=4, target={"temperature": 0.0})
    assert Obeys.asked == []
    go(["1"], trials=4, target={"temperature": 0.0}, repeatGreedy=True)
    assert len(Obeys.asked) == 4


def test_an_evaluator_may_read_anothers_result(tmp_path):
    forged = {"input": "skip", "@says": {"value": 1.0}}
    go(["1", forged], "after", "says", out=tmp_path / "o.json")
    first, second = rows(tmp_path / "o.json")
    assert first["scores"]["after"]["value"] == 11.0
    assert second["scores"]["after"] == {"status": "skipped", "reason": "says gave no score"}


def test_gates_decide_the_verdict():
    gates = [{"metric": "says", "min": 0.5}, {"metric": "says.half", "max": 0.2, "on": "hi"}]
    outcome = go(["1", "0.5", "0"], gates=gates)
    assert [gate.passed for gate in outcome.gates] == [True, False]
    assert outcome.verdict == "failed"


def test_too_many_errors_leave_no_verdict():
    gates = [{"metric": "says", "min": 0.5}]
    outcome = go(["1"] * 9 + ["away"], gates=gates, maxErrorRate=0.05)
    assert (outcome.error_rate, outcome.verdict) == (0.1, "none")
    assert outcome.row()["gates"][0]["passed"] is None
    assert go(["1"] * 9 + ["away"], gates=gates, maxErrorRate=0.1).verdict == "passed"


def test_one_evaluator_that_is_down_leaves_no_verdict_though_the_other_works():
    outcome = go(["1", "1"], "says", "length", maxErrorRate=0.4)
    assert outcome.verdict == "passed"
    down = go(["1", "raise"], "says", "length", maxErrorRate=0.4)
    assert (down.error_rate, down.verdict) == (0.5, "none")


def test_errors_of_single_trials_count_toward_the_error_rate():
    assert go(["nth 1 1 1"], trials=4).error_rate == 0.25


def test_clusters_make_the_interval_wider():
    inputs = [{"input": str(n % 8 // 4), "page": n // 4} for n in range(32)]
    alone, together = go(inputs).metrics["says"], go(inputs, clusterField="page").metrics["says"]
    assert together.hi - together.lo > alone.hi - alone.lo
    assert alone.mean == together.mean


def test_the_connector_is_closed_also_when_the_run_fails(monkeypatch):
    go(["1"])
    assert Obeys.closed == 1
    monkeypatch.setattr("evalsi.core.run.evaluation.Evaluation.of", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        go(["1"] * 100)
    assert Obeys.closed == 2


def test_a_run_works_inside_a_running_loop():
    async def inside():
        return go(["1"])

    assert asyncio.run(inside()).metrics["says"].mean == 1.0
