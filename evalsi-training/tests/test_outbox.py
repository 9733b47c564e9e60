"""The outbox: a message a measured step, whatever is killed; a receipt for what was confirmed."""

import json
from typing import get_args

import pytest
from tracker_kit import BASE, FELL, SAME, evaluated, history_at
from training_kit import put

from evalsi.core import DataError
from evalsi.training.curve import curve_of
from evalsi.training.judging import Status
from evalsi.training.trackers import Outbox
from evalsi.training.trackers.mending import mend
from evalsi.training.trackers.message import NUMBERS


def test_each_measured_step_leaves_a_message(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE, 100: SAME, 200: FELL})

    first, second, third = outbox.messages()

    assert [(m.step, m.at, m.status) for m in (first, second, third)] == [
        ("base", 0, "ok"),
        (100, 100, "underpowered"),
        (200, 200, "regressed"),
    ]
    assert first.metrics == {"evalsi/right": 0.95}
    assert third.metrics["evalsi/right"] == 0.5
    assert third.metrics["evalsi/right:diff"] == pytest.approx(-0.45)
    assert third.metrics["evalsi/right:diff-lo"] < -0.45 < third.metrics["evalsi/right:diff-hi"]
    assert third.row()["evalsi/status"] == NUMBERS["regressed"]


def test_a_step_that_could_not_be_measured_leaves_none(tmp_path):
    history = history_at(tmp_path)
    put(history, "base", {"right": BASE})
    put(history, 1, {"right": [None, 1.0]}, error="the server is down")

    outbox = evaluated(tmp_path, {})

    assert [message.step for message in outbox.messages()] == ["base"]


def test_numbers_that_are_unknown_are_left_out(tmp_path):
    history = history_at(tmp_path)
    put(history, 1, {"right": SAME}, metrics={"right": {"mean": None, "lo": float("nan"), "hi": 1}})

    outbox = evaluated(tmp_path, {})

    assert outbox.messages()[0].metrics == {"evalsi/right:hi": 1.0}


def test_a_metric_with_a_slash_stays_flat(tmp_path):
    put(history_at(tmp_path), 1, {"pack/right": SAME})

    assert list(evaluated(tmp_path, {}, gates=()).messages()[0].metrics) == ["evalsi/pack.right"]


def test_a_message_is_written_anew_only_when_its_content_changes(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    before = [path.stat().st_ino for path in sorted(outbox.folder.glob("step-*.json"))]

    evaluated(tmp_path, {1: SAME})

    assert [p.stat().st_ino for p in sorted(outbox.folder.glob("step-*.json"))] == before


def test_a_base_that_comes_later_changes_the_messages(tmp_path):
    outbox = evaluated(tmp_path, {1: SAME})
    alone = outbox.messages()[0]

    evaluated(tmp_path, {"base": BASE})

    assert alone.digest != outbox.messages()[1].digest
    assert "evalsi/right:diff" in outbox.messages()[1].metrics


def test_last_bits_of_another_machine_change_nothing(tmp_path):
    metrics = {"right": {"mean": 0.1 + 0.2}}
    put(history_at(tmp_path / "a"), 1, {"right": SAME}, metrics=metrics)
    put(history_at(tmp_path / "b"), 1, {"right": SAME}, metrics={"right": {"mean": 0.3}})

    first, second = (evaluated(tmp_path / name, {}).messages()[0] for name in "ab")

    assert first.digest == second.digest


def test_what_a_kill_kept_from_being_left_is_left_by_the_next_look(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    history = history_at(tmp_path)
    put(history, 2, {"right": FELL})  # killed here: the step is kept, and its message is not
    (outbox.folder / ".step-2.json.half").write_text("{")

    mend(history)

    assert [message.step for message in outbox.messages()] == ["base", 1, 2]
    assert not list(outbox.folder.glob(".*"))


def test_mending_judges_by_the_gates_of_the_last_time(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE, 1: SAME})
    history = history_at(tmp_path)
    put(history, 2, {"right": FELL})

    mend(history)

    assert outbox.messages()[-1].status == "regressed"


def test_mending_can_judge_by_other_gates(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE, 1: FELL})

    mend(history_at(tmp_path), ["right:0.9"])

    assert outbox.messages()[-1].status == "ok"


def test_a_broken_message_is_written_anew(tmp_path):
    outbox = evaluated(tmp_path, {"base": BASE})
    (outbox.folder / "step-base.json").write_text("{")
    with pytest.raises(DataError, match=r"step-base\.json cannot be read"):
        outbox.messages()

    evaluated(tmp_path, {})

    assert [message.step for message in outbox.messages()] == ["base"]


def test_receipts_are_one_place_s_and_one_writer_s(tmp_path):
    outbox = Outbox(tmp_path)
    with (
        outbox.receipts("place 1"),
        outbox.receipts("place 2"),
        pytest.raises(DataError, match="being written by another process"),
        outbox.receipts("place 1"),
    ):
        pass


def test_receipts_say_in_clear_what_they_are_of(tmp_path):
    outbox = Outbox(tmp_path)
    with outbox.receipts("mlflow run 0f3c"):
        pass

    (path,) = outbox.folder.iterdir()
    assert json.loads(path.read_text())["destination"] == "mlflow run 0f3c"


def test_receipts_of_another_version_are_refused(tmp_path):
    outbox = Outbox(tmp_path)
    with outbox.receipts("place"):
        pass
    (path,) = outbox.folder.iterdir()
    path.write_text('{"format": "evalsi.receipts/9"}\n')

    with pytest.raises(DataError, match="another version"), outbox.receipts("place"):
        pass


def test_every_status_has_a_number_the_worse_the_higher():
    assert list(NUMBERS) == list(get_args(Status))
    assert list(NUMBERS.values()) == sorted(NUMBERS.values())


def test_without_a_curve_there_is_nothing(tmp_path):
    outbox = Outbox(tmp_path / "run")

    assert outbox.messages() == []
    assert outbox.mark == 0


def test_an_evaluator_leaves_a_message_with_each_step(tmp_path, server):
    from training_kit import QUESTIONS, spec

    from evalsi.training import CheckpointEvaluator, Endpoint

    server.knows = {"base": set(QUESTIONS), "ckpt": set(QUESTIONS[:20])}
    evaluator = CheckpointEvaluator(
        spec(tmp_path / "spec.json"),
        training_run="run",
        serving=Endpoint(server.base_url),
        log_dir=tmp_path,
        regression=["right"],
    )

    evaluator.evaluate_base("base")
    evaluator.evaluate("ckpt", 1)

    told = [(m.step, m.metrics["evalsi/right"], m.status) for m in evaluator.outbox.messages()]
    assert told == [("base", 1.0, "ok"), (1, 0.5, "regressed")]
    assert evaluator.outbox.messages()[1].regression == ("right:0",)
    assert curve_of(history_at(tmp_path)).results
