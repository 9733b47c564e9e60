"""Patience: counted over measured checkpoints in the order of their steps, and what it stops."""

import json

import pytest
from training_kit import QUESTIONS, spec

from evalsi.core import SpecError
from evalsi.core.stats import Comparison
from evalsi.training import CheckpointEvaluator, CheckpointRunner
from evalsi.training.judging import Change, StepResult
from evalsi.training.sources import Directory
from evalsi.training.stopping import Monitor, Patience, stall_of
from evalsi.training.watching import Watch


def result(step, mean, *, direction="higher", **fields):
    summaries = {} if mean is None else {"m": {"mean": mean, "direction": direction}}
    return StepResult(step, summaries, **fields)


def stall(means, *, steps, delta=0.0, direction="higher"):
    results = [result(step, mean, direction=direction) for step, mean in enumerate(means)]
    return stall_of(results, Patience(Monitor("m", delta), steps))


@pytest.mark.parametrize(
    ("means", "steps", "delta", "stalled"),
    [
        pytest.param([0.5], 1, 0, False, id="the first is an improvement"),
        pytest.param([0.5, 0.5], 1, 0, True, id="equal is none"),
        pytest.param([0.5, 0.4, 0.6], 2, 0, False, id="an improvement begins anew"),
        pytest.param([0.5, 0.6, 0.5, 0.55], 2, 0, True, id="over its best, not its last"),
        pytest.param([0.5, 0.6, 0.5, 0.55], 3, 0, False, id="not yet"),
        pytest.param([0.5, 0.6], 1, 0.1, True, id="by no more than min_delta is none"),
        pytest.param([0.5, 0.601], 1, 0.1, False, id="by more is one"),
        pytest.param([0.50, 0.54, 0.58, 0.62], 3, 0.1, False, id="small gains add up"),
        pytest.param([0.5, None, 0.4, None, 0.4], 3, 0, False, id="what is missing does not count"),
        pytest.param([], 1, 0, False, id="nothing"),
    ],
)
def test_so_many_checkpoints_without_an_improvement(means, steps, delta, stalled):
    assert bool(stall(means, steps=steps, delta=delta)) is stalled


def test_the_reason_names_the_best_and_the_count():
    assert stall([0.5, 0.7, 0.6, 0.7], steps=2, delta=0.01) == (
        "m has not improved by more than 0.01 on 0.7, which step 1 had, for 2 checkpoints"
    )


def test_lower_is_better_improves_downwards():
    assert stall([0.5, 0.4, 0.3], steps=1, direction="lower") == ""
    assert stall([0.3, 0.4], steps=1, direction="lower")


@pytest.mark.parametrize(
    "unsure",
    [
        result(2, 0.1, error="out of memory", status="error"),
        result(2, 0.9, error="out of memory", status="error"),
        result(2, 0.1, status="incomplete"),
        result(2, 0.9, comparisons={"m": Change(Comparison(90, diff=0.1, missing=10))}),
        result("base", 0.9),
    ],
    ids=["error", "error that looks good", "incomplete", "too few records", "base"],
)
def test_what_was_not_measured_whole_counts_neither_way(unsure):
    patience = Patience(Monitor("m"), 2)
    results = [result(1, 0.5), unsure, result(3, 0.4)]
    assert stall_of(results, patience) == ""

    assert "on 0.5, which step 1 had" in stall_of([*results, result(4, 0.4)], patience)


def test_mini_values_and_full_ones_are_never_mixed():
    mini = {"m@mini": {"mean": 0.1, "direction": "higher"}}
    results = [result(1, 0.5), StepResult(2, mini, panel="mini"), StepResult(3, mini, panel="mini")]

    assert stall_of(results, Patience(Monitor("m"), 1)) == ""
    assert "m@mini" in stall_of(results, Patience(Monitor("m@mini"), 1))


@pytest.mark.parametrize("text", ["", ":1", "m:-1", "m:nan", "m:much"])
def test_what_cannot_be_monitored_is_refused(text):
    with pytest.raises(SpecError, match="cannot be monitored"):
        Monitor.parse(text)


def made(tmp_path, server, named, **options):
    return CheckpointEvaluator(
        spec(tmp_path / "spec.json", **options.pop("body", {})),
        training_run="run",
        serving=named(server.base_url),
        log_dir=tmp_path / "logs",
        **options,
    )


TWO = {"evaluators": ["right", {"ref": "right", "name": "other"}]}


def test_the_metric_is_the_first_gates_or_the_only_one(tmp_path, server, named):
    assert made(tmp_path, server, named, patience=2).patience.monitor.metric == "right"
    gated = made(tmp_path, server, named, patience=2, body=TWO, regression=["other:0.1", "right"])
    assert gated.patience.monitor.metric == "other"


def test_several_metrics_and_none_named_is_refused(tmp_path, server, named):
    with pytest.raises(SpecError, match="with --monitor; there are right, other"):
        made(tmp_path, server, named, patience=2, body=TWO)


@pytest.mark.parametrize(
    ("monitor", "says"),
    [("wrong", 'is "wrong"; this run has right'), ("right@mini", "give its size with --mini")],
)
def test_a_monitor_that_the_spec_does_not_report_is_refused(tmp_path, server, named, monitor, says):
    with pytest.raises(SpecError, match=says):
        made(tmp_path, server, named, patience=2, monitor=monitor)


def knows(server, *counts):
    """Lets checkpoint N know so many questions."""
    for step, count in enumerate(counts, 1):
        server.knows[f"checkpoint-{step}"] = set(QUESTIONS[:count])


def test_a_runner_gives_the_reason_and_a_late_step_takes_its_own_place(tmp_path, server, named):
    knows(server, 10, 20, 15, 15)
    runner = CheckpointRunner(made(tmp_path, server, named, patience=2), wait=True)
    for step in (1, 2, 4):
        runner.submit(f"checkpoint-{step}", step)
    assert runner.stop_reason(regression=False) == ""

    runner.submit("checkpoint-3", 3)

    assert "right has not improved on 0.5, which step 2 had" in runner.stop_reason(regression=False)
    assert not runner.regressed


def test_a_watch_evaluates_what_is_pending_and_ends(tmp_path, server, named, checkpoint):
    knows(server, 10, 20, 15, 15, 15)
    for step in (1, 2, 3, 4):
        checkpoint(tmp_path / "out", step)
    late = iter([5])
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        for step in late:  # saved while training stops
            checkpoint(tmp_path / "out", step)

    evaluator = made(tmp_path, server, named, patience=2)
    watching = Watch(evaluator, Directory(tmp_path / "out", settle=0), 7.0, sleep=sleep)

    assert [one.step for one in watching.run()] == [1, 2, 3, 4, 5]
    assert slept == [7.0, 7.0]
    again = Watch(evaluator, Directory(tmp_path / "out", settle=0), 7.0, sleep=sleep)
    assert list(again.run()) == []


def test_a_standstill_writes_the_stop_file_and_is_no_failure(tmp_path, server, command, checkpoint):
    knows(server, 10, 20, 15, 15)
    for step in (1, 2, 3, 4):
        checkpoint(tmp_path / "out", step)
    stop = tmp_path / "stop"

    found = command(
        "watch",
        tmp_path / "out",
        *("--settle", "0", "--interval", "0.1", "--patience", "2", "--stop-file", stop),
    )

    assert found.exit_code == 0, found.output
    assert stop.read_text().startswith("right has not improved on 0.5, which step 2 had, for 2")
    assert "stop: right has not improved" in found.stdout
    row = json.loads(command("curve", "--patience", "2", "--format", "json").stdout)
    assert row["stop"] == stop.read_text().rstrip()
    assert row["patience"] == {"monitor": {"metric": "right", "min_delta": 0.0}, "steps": 2}
    assert json.loads(command("curve", "--format", "json").stdout)["stop"] == ""


def test_a_stop_file_that_a_kill_kept_from_being_written_is_written_by_who_comes_next(
    tmp_path, server, command, checkpoint
):
    knows(server, 20, 15)
    for step in (1, 2):
        checkpoint(tmp_path / "out", step)
    words = ["watch", tmp_path / "out", "--settle", "0", "--interval", "0.1", "--patience", "1"]
    command(*words, "--once")  # as one that was killed behind its last step

    found = command(*words, "--stop-file", tmp_path / "of" / "run" / "stop")

    assert found.exit_code == 0, found.output
    assert "right has not improved" in (tmp_path / "of" / "run" / "stop").read_text()


def test_a_stop_file_that_cannot_be_written_is_told_and_ends_nothing(
    tmp_path, server, command, checkpoint
):
    knows(server, 20, 15, 10)
    for step in (1, 2, 3):
        checkpoint(tmp_path / "out", step)
    (tmp_path / "file").write_text("")

    words = ["--settle", "0", "--once", "--patience", "1"]
    found = command("watch", tmp_path / "out", *words, "--stop-file", tmp_path / "file" / "stop")

    assert found.exit_code == 0, found.output
    assert "file/stop cannot be written: File exists; right has not improved" in found.output
    assert "step 3: ok" in found.output


def test_a_monitor_is_checked_where_nothing_counts_by_it(command):
    found = command("curve", "--monitor", "right:0.1:1")

    assert (found.exit_code, "the metric to monitor" in found.output) == (2, True)
