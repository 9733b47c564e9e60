"""Checkpoints evaluated on a server on loopback, from Python and from the command line."""

import json

import pytest
from click.testing import CliRunner
from training_kit import QUESTIONS, spec

from evalsi.core import DataError, SpecError
from evalsi.core.cli.root import root
from evalsi.training import CheckpointEvaluator, Endpoint, ServingError


def evaluator(tmp_path, server, **options):
    made = {"training_run": "run", "log_dir": tmp_path, "regression": ["right:0.02"], **options}
    path = spec(tmp_path / "spec.json")
    return CheckpointEvaluator(path, serving=Endpoint(server.base_url), **made)


def run(tmp_path, server, *words):
    path = spec(tmp_path / "spec.json")
    shared = ["-f", str(path), "--training-run", "run", "--log-dir", str(tmp_path)]
    return CliRunner().invoke(root, ["checkpoints", *words, *shared])


def test_a_base_and_a_checkpoint_are_compared(tmp_path, server):
    server.knows = {"base": set(QUESTIONS), "worse": set(QUESTIONS[:20])}
    made = evaluator(tmp_path, server)

    base = made.evaluate_base("base")
    step = made.evaluate("worse", 100)

    assert (base.summaries["right"]["mean"], base.passed) == (1.0, True)
    change = step.comparisons["right"]
    assert (change.diff, change.paired_n, change.significant) == (-0.5, 40, True)
    assert (step.regressed, step.passed, step.status) == (True, False, "regressed")


def test_a_new_object_reads_the_same_history_and_asks_nothing_again(tmp_path, server):
    server.knows = {"base": set(QUESTIONS)}
    evaluator(tmp_path, server).evaluate_base("base")
    asked = len(server.asked)

    again = evaluator(tmp_path, server)
    again.evaluate_base("base")

    assert [one.step for one in again.history()] == ["base"]
    assert len(server.asked) == asked


class Unserved:
    """A strategy that must not be needed."""

    def serve(self, checkpoint, name):
        raise AssertionError(f"{checkpoint} was served")


class Broken:
    """A strategy that serves nothing."""

    def serve(self, checkpoint, name):
        raise ServingError(f"{name} did not start: out of memory")


def test_a_step_that_is_measured_starts_no_server(tmp_path, server):
    server.knows = {"base": set(QUESTIONS)}
    made = evaluator(tmp_path, server)
    first = made.evaluate_base("base")

    again = CheckpointEvaluator(
        spec(tmp_path / "spec.json"), training_run="run", serving=Unserved(), log_dir=tmp_path
    )

    assert again.evaluate_base("base").summaries == first.summaries


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"evaluators": ["wrong"]}, "another spec and other evaluators.*rescore"),
        ({"dataset": {"inline": {"records": [{"id": "a", "input": "a"}]}}}, "other records"),
    ],
)
@pytest.mark.parametrize("step", ["base", 1])
def test_what_is_not_this_runs_is_refused_before_a_server_is_started(
    tmp_path, server, body, says, step
):
    server.knows = {"base": set(QUESTIONS)}
    evaluator(tmp_path, server).evaluate_base("base")
    other = CheckpointEvaluator(
        spec(tmp_path / "other.json", **body),
        training_run="run",
        serving=Unserved(),
        log_dir=tmp_path,
    )

    with pytest.raises(DataError, match=says):
        other.evaluate("base", step)


def test_a_spec_whose_first_checkpoint_was_not_served_may_still_be_mended(tmp_path, server):
    CheckpointEvaluator(
        spec(tmp_path / "spec.json"), training_run="run", serving=Broken(), log_dir=tmp_path
    ).evaluate("c", 1)
    server.knows = {"c": set()}
    body = {"evaluators": ["wrong"]}

    made = CheckpointEvaluator(
        spec(tmp_path / "new.json", **body),
        training_run="run",
        serving=Endpoint(server.base_url),
        log_dir=tmp_path,
    )

    assert made.evaluate("c", 1).passed


def test_a_failing_server_is_no_zero_and_what_failed_is_asked_again(tmp_path, server):
    server.knows = {"base": set(QUESTIONS), "new": set(QUESTIONS)}
    server.down = set(QUESTIONS[:4])
    made = evaluator(tmp_path, server)
    made.evaluate_base("base")

    first = made.evaluate("new", 1)
    assert first.status == "incomplete"
    assert (first.summaries["right"]["mean"], first.summaries["right"]["errors"]) == (1.0, 4)

    server.down = set()
    made.evaluate_base("base")
    assert made.evaluate("new", 1).passed
    assert sum(model == "new" for model, _ in server.asked) == len(QUESTIONS) + 4


def test_a_checkpoint_that_cannot_be_served_is_an_error_and_no_summary(tmp_path, server):
    made = CheckpointEvaluator(
        spec(tmp_path / "spec.json"), training_run="run", serving=Broken(), log_dir=tmp_path
    )

    result = made.evaluate("checkpoint-1", 1)

    assert (result.status, result.passed, result.summaries) == ("error", False, {})
    assert result.error == "run-1 did not start: out of memory"


def test_a_curve_of_a_run_that_was_never_served_shows_why(tmp_path, server):
    CheckpointEvaluator(
        spec(tmp_path / "spec.json"), training_run="run", serving=Broken(), log_dir=tmp_path
    ).evaluate("c", 1)

    found = run(tmp_path, server, "curve")

    assert (found.exit_code, "1: run-1 did not start" in found.stdout) == (4, True)


def test_a_step_whose_values_are_broken_is_mended_as_its_message_says(tmp_path, server):
    server.knows = {"base": set(QUESTIONS)}
    made = evaluator(tmp_path, server)
    first = made.evaluate_base("base").summaries
    (tmp_path / "run" / "step-base.npz").write_bytes(b"PK")
    with pytest.raises(DataError, match=r"remove the step's \.json beside it"):
        evaluator(tmp_path, server).evaluate("base", 1)
    asked = len(server.asked)

    (tmp_path / "run" / "step-base.json").unlink()

    assert made.evaluate_base("base").summaries == first
    assert len(server.asked) == asked


def test_another_spec_under_the_same_run_is_refused(tmp_path, server):
    server.knows = {"base": set(QUESTIONS)}
    evaluator(tmp_path, server).evaluate_base("base")
    other = spec(
        tmp_path / "other.json",
        trials=1,
        maxErrorRate=0.5,
        evaluators=[{"ref": "right", "name": "r"}],
    )

    made = CheckpointEvaluator(
        other, training_run="run", serving=Endpoint(server.base_url), log_dir=tmp_path
    )

    with pytest.raises(DataError, match="another spec"):
        made.evaluate("base", 1)


def test_a_gate_on_an_unknown_metric_is_refused_before_anything_is_asked(tmp_path, server):
    with pytest.raises(SpecError, match='its metric is "wrong"; this run has right'):
        evaluator(tmp_path, server, regression=["wrong:0.1"])
    assert server.asked == []


def test_the_command_line_evaluates_and_exits_by_the_latest_step(tmp_path, server):
    server.knows = {"base": set(QUESTIONS), "c1": set(QUESTIONS), "c2": set(QUESTIONS[:20])}
    serve = ["--serve", "endpoint", "--base-url", server.base_url, "--regression", "right:0.02"]

    codes = [
        run(tmp_path, server, "eval", name, "--step", step, *serve).exit_code
        for name, step in (("base", "base"), ("c1", "100"), ("c2", "200"))
    ]
    curve = run(tmp_path, server, "curve", "--regression", "right:0.02", "--format", "json")

    assert codes == [0, 0, 3]
    assert curve.exit_code == 3
    row = json.loads(curve.stdout)
    assert [step["status"] for step in row["steps"]] == ["ok", "underpowered", "regressed"]
    assert row["steps"][2]["comparisons"]["right"]["lost"] == 20
    assert (
        run(tmp_path, server, "curve", "--regression", "right:0.02", "--confirm", "2").exit_code
        == 0
    )


def test_a_step_that_is_measured_is_said_to_be(tmp_path, server):
    server.knows = {"base": set(QUESTIONS)}
    words = ["eval", "base", "--step", "base", "--serve", "endpoint", "--base-url", server.base_url]

    said = [run(tmp_path, server, *words).output for _ in range(2)]

    assert ["step base is measured" in one for one in said] == [False, True]


def test_an_unreachable_server_is_exit_4(tmp_path, server):
    server.knows = {"base": set(QUESTIONS)}
    serve = ["--serve", "endpoint", "--base-url"]
    run(tmp_path, server, "eval", "base", "--step", "base", *serve, server.base_url)

    found = run(tmp_path, server, "eval", "c1", "--step", "1", *serve, "http://127.0.0.1:9/v1")

    assert found.exit_code == 4


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["eval", "c", "--step", "x", "--serve", "endpoint", "--base-url", "http://h"],
            '"x" is no step',
        ),
        (["eval", "c", "--step", "1", "--serve", "endpoint"], "--serve endpoint needs --base-url"),
        (["eval", "c", "--step", "1", "--model", "m"], "--serve vllm takes no --model"),
        (["curve"], "holds no step"),
        (["curve", "--regression", "right:much"], "is no regression gate"),
    ],
)
def test_wrong_use_is_exit_2_and_says_why(tmp_path, server, words, says):
    found = run(tmp_path, server, *words)

    assert found.exit_code == 2
    assert says in found.output


def test_a_plan_says_what_the_panel_can_see(tmp_path):
    path = spec(tmp_path / "spec.json")
    words = ["checkpoints", "plan", "-f", str(path), "--regression", "right:0.02"]

    found = CliRunner().invoke(root, [*words, "--format", "json"])

    rows = json.loads(found.stdout)
    assert [row["n"] for row in rows] == [40, 40]
    assert [row["needed"] for row in rows] == [825, 4121]
    assert all(row["underpowered"] for row in rows)
    assert "underpowered" in CliRunner().invoke(root, words).stdout


@pytest.mark.parametrize("place", ["actor/huggingface", "actor/model/huggingface"])
def test_of_verls_folder_the_model_within_it_is_served(tmp_path, server, place):
    model = tmp_path / "global_step_7" / place
    server.knows = {str(model): set(QUESTIONS)}
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    (model / "model.safetensors").write_bytes(b"weights")

    result = evaluator(tmp_path, server).evaluate(tmp_path / "global_step_7", 7)

    assert (result.error, result.summaries["right"]["mean"]) == ("", 1.0)
