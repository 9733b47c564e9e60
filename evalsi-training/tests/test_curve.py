"""The curve: changes and their marks, statuses, and what the latest steps come to."""

import random

import pytest
from training_kit import history_at, put

from evalsi.core import DataError
from evalsi.core.stats import Comparison
from evalsi.training import RegressionGate
from evalsi.training.curve import curve_of
from evalsi.training.history import StepRecord
from evalsi.training.judging import result_of
from evalsi.training.table import table

GATE = RegressionGate("m", 0.02)


def passes(n, share, seed=0):
    marks = [1] * round(n * share) + [0] * (n - round(n * share))
    random.Random(seed).shuffle(marks)
    return marks


def flipped(marks, lost, gained=0):
    found = list(marks)
    for place in [n for n, mark in enumerate(marks) if mark][:lost]:
        found[place] = 0
    for place in [n for n, mark in enumerate(marks) if not mark][:gained]:
        found[place] = 1
    return found


@pytest.fixture
def history(tmp_path):
    return history_at(tmp_path)


def test_the_rule_decides_and_the_table_shows_it(history):
    base = passes(500, 0.712)
    put(history, "base", {"m": base})
    put(history, 100, {"m": flipped(base, 4, 14)})
    put(history, 200, {"m": flipped(base, 12, 4)})
    put(history, 300, {"m": flipped(base, 40, 4)})

    curve = curve_of(history, [GATE])

    assert [one.status for one in curve.results] == [
        "ok",
        "underpowered",
        "underpowered",
        "regressed",
    ]
    lines = list(table(curve))
    assert lines[0].split() == ["step", "m", "status"]
    assert lines[1].split() == ["base", "0.712", "ok"]
    assert "(+0.020*)" in lines[2]
    assert "(-0.016*)" in lines[3]
    assert "(-0.072!)" in lines[4]
    assert lines[-1] == "after Holm's correction over all looks: 300 m"
    assert curve.regressed


def test_steps_are_numbers_in_order_whatever_came_first(history):
    for step in (1000, "base", 20, 3):
        put(history, step, {"m": [1, 0]})

    assert [one.step for one in curve_of(history).results] == ["base", 3, 20, 1000]


def test_without_a_base_nothing_regresses_and_a_late_base_is_used(history):
    base = passes(200, 0.8)
    put(history, 100, {"m": flipped(base, 60)})
    assert not curve_of(history, [GATE]).regressed
    assert curve_of(history, [GATE]).results[0].comparisons == {}

    put(history, "base", {"m": base})

    assert curve_of(history, [GATE]).regressed


def test_lower_is_better_regresses_upwards(history):
    base = passes(200, 0.1)
    put(history, "base", {"m": base}, direction="lower")
    put(history, 100, {"m": flipped(base, 0, 40)}, direction="lower")
    put(history, 200, {"m": flipped(base, 15)}, direction="lower")

    first, second = curve_of(history, [RegressionGate("m")]).results[1:]

    assert (first.status, second.status) == ("regressed", "ok")


def test_too_few_shared_records_are_incomplete_and_never_ok(history):
    base = passes(100, 0.7)
    put(history, "base", {"m": base})
    put(history, 100, {"m": [None] * 6 + base[6:]})
    put(history, 200, {"m": [None] * 5 + base[5:]})

    first, second = curve_of(history, [RegressionGate("m", 0.5)]).results[1:]

    assert (first.status, first.passed) == ("incomplete", False)
    assert first.reasons == ("m: 94 of 100 records compared",)
    assert second.status == "ok"


def test_a_metric_without_a_gate_that_was_measured_in_part_is_incomplete_too(history):
    base = passes(100, 0.7)
    part = [None] * 6 + base[6:]
    put(history, "base", {"m": base, "k": base, "k[few]": base})
    put(history, 100, {"m": base, "k": part, "k[few]": part}, by={"m": {}, "k": {}})

    for columns in ([], ["m"]):  # whatever is shown
        result = curve_of(history, [RegressionGate("m", 0.5)], metrics=columns).results[1]
        assert (result.status, result.reasons) == (
            "incomplete",
            ("k: 94 of 100 records compared",),
        )


def test_one_cluster_has_no_interval_so_that_no_drop_shows(history):
    for step, column in (("base", [1] * 40), (100, [0] * 40)):
        put(history, step, {"m": column}, clusters=["a"] * 40)

    result = curve_of(history, [RegressionGate("m")]).results[1]

    assert result.status == "underpowered"
    assert result.reasons == ("m: one record, or one cluster, shows no drop",)


@pytest.mark.parametrize(("gates", "status"), [([], "ok"), ([GATE], "incomplete")])
def test_a_metric_that_neither_side_has_is_no_gap_but_for_a_gate(gates, status):
    record = StepRecord(100, "c", verdict="passed", by={"m": {}, "k": {}})

    result = result_of(record, {"m": Comparison(0), "k": Comparison(100, diff=0.0)}, gates)

    assert result.status == status


@pytest.mark.parametrize(("errors", "status"), [(6, "incomplete"), (5, "ok")])
def test_too_many_errors_are_incomplete_without_a_base_too(history, errors, status):
    metrics = {"m": {"n": 100 - errors, "errors": errors, "mean": 0.7, "direction": "higher"}}
    metrics["m[few]"] = {"n": 1, "errors": 1, "mean": 1.0, "direction": "higher"}
    put(history, 100, {"m": passes(100, 0.7)}, metrics=metrics, by={"m": {}})

    result = curve_of(history).results[0]

    assert result.status == status
    assert result.reasons == ("m: 6 of 100 records failed to be measured",) * (errors == 6)


def test_no_shared_record_is_an_error(history):
    put(history, "base", {"m": [1, 0]}, ids=("a", "b"))
    put(history, 100, {"m": [1, 0]}, ids=("c", "d"))

    result = curve_of(history).results[1]

    assert (result.status, result.passed) == ("error", False)
    assert result.reasons == ("it shares no measured record with the base",)


def test_a_step_that_failed_is_shown_and_compared_with_nothing(history):
    put(history, "base", {"m": [1, 0]})
    put(history, 100, {"m": [1, 0]}, error="the server ran out of memory")

    result = curve_of(history, [GATE]).results[1]

    assert (result.status, result.passed, result.comparisons) == ("error", False, {})


@pytest.mark.parametrize(
    ("confirm", "falls", "says"),
    [
        (1, [0, 0, 1], True),
        (2, [0, 0, 1], False),
        (2, [0, 1, 1], True),
        (2, [1, 1, 0], False),
        (3, [1, 1], False),
    ],
)
def test_so_many_regressions_in_a_row_make_a_verdict(history, confirm, falls, says):
    base = passes(200, 0.8)
    put(history, "base", {"m": base})
    for number, falling in enumerate(falls):
        put(history, number, {"m": flipped(base, 60 * falling)})

    assert curve_of(history, [GATE], confirm=confirm).regressed is says


def test_regressions_in_a_row_are_of_one_metric(history):
    base = passes(200, 0.8)
    put(history, "base", {"m": base, "k": base})
    put(history, 1, {"m": flipped(base, 60), "k": base})
    put(history, 2, {"m": base, "k": flipped(base, 60)})

    gates = [GATE, RegressionGate("k")]

    assert not curve_of(history, gates, confirm=2).regressed
    assert curve_of(history, gates).regressed


def test_a_metric_that_nothing_reports_is_refused(history):
    put(history, "base", {"m": [1, 0]})

    with pytest.raises(DataError, match='no step reports "other"; there are m'):
        curve_of(history, metrics=["other"])


def test_an_empty_history_says_what_to_do(history):
    with pytest.raises(DataError, match="evalsi checkpoints eval"):
        curve_of(history)
