"""Metrics that are asked for beside those that every run reports."""

import json

from training_kit import QUESTIONS


def test_gates_and_monitors_may_ask_for_any_pass_at_k(server, command):
    server.knows = {"base": set(QUESTIONS), "checkpoint-1": set(QUESTIONS[:30])}
    body = {"trials": 4, "repeatGreedy": True}
    words = ["--regression", "right.pass@2:0.02", "--monitor", "right.pass^3"]

    command("eval", "base", "--step", "base", *words, body=body)
    found = command("eval", "checkpoint-1", "--step", "1", *words, "--format", "json", body=body)

    assert found.exit_code == 3, found.output
    row = json.loads(found.stdout)
    metrics = row["steps"][0]["metrics"]
    assert metrics["right.pass@2"] == metrics["right.pass@4"]  # trials at temperature 0 are one
    assert row["steps"][1]["metrics"]["right.pass^3"]["mean"] == 0.75
    assert row["steps"][1]["comparisons"]["right.pass@2"]["regressed"]


def test_a_mini_panel_is_judged_by_any_pass_at_k(server, command):
    server.knows = {"base": set(QUESTIONS), "checkpoint-1": set()}
    body = {"trials": 4, "repeatGreedy": True}
    words = ["--monitor", "right.pass^3", "--mini", "8"]
    command("eval", "base", "--step", "base", *words, body=body)

    found = command("eval", "checkpoint-1", "--step", "1", *words, body=body)

    assert "1: right.pass^3@mini is 0, worse than the base's 1" in found.stdout
    assert len([model for model, _ in server.asked if model == "checkpoint-1"]) == 8 * 4
