"""A run in numbers: counts that add up, means of what was measured, and their intervals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core import Errored, Failure, Result, Score, Skipped
from evalsi.core.chat import Output
from evalsi.core.run.measures import Measure
from evalsi.core.run.results import RecordResult
from evalsi.core.run.summary import MetricSummary, Summary
from evalsi.core.stats import interval_of, pass_at_k, pass_hat_k

LOST = Errored(Failure("server", "no answer"))
MATH = Measure("math-equiv", {"math-equiv": "higher"}, "math-equiv")
RESULT = st.sampled_from([Score(1.0), Score(0.0), Score(0.25), Skipped(), LOST])


def rows(*trials: Result | float, name: str = "math-equiv", text: str = "5") -> list[RecordResult]:
    given = [Score(one) if isinstance(one, int | float) else one for one in trials]
    return [
        RecordResult("r", trial, one if one is LOST else Output(text), {name: one})
        for trial, one in enumerate(given)
    ]


def summarised(
    *records: list[RecordResult], measure: Measure = MATH, **options: Any
) -> dict[str, MetricSummary]:
    summary = Summary([measure], **options)
    for record in records:
        summary.add(record)
    return summary.metrics()


def test_passes_have_wilsons_interval() -> None:
    found = summarised(*[rows(1)] * 7, *[rows(0)] * 3)["math-equiv"]
    alone = interval_of([1] * 7 + [0] * 3)
    assert (found.n, found.mean, found.method) == (10, 0.7, "wilson")
    assert (found.lo, found.hi) == (alone.lo, alone.hi)


def test_fractions_have_a_t_interval() -> None:
    found = summarised(rows(0.1), rows(0.9), rows(0.4))["math-equiv"]
    alone = interval_of([0.1, 0.9, 0.4])
    assert (found.method, found.lo, found.hi) == ("t", alone.lo, alone.hi)


def test_an_outage_shrinks_n_and_lowers_no_mean() -> None:
    found = summarised(*[rows(1)] * 5, *[rows(LOST)] * 95)["math-equiv"]
    assert (found.n, found.mean, found.errors) == (5, 1.0, 95)


def test_nothing_measured_has_no_mean() -> None:
    found = summarised(rows(LOST), rows(Skipped()))["math-equiv"]
    assert (found.n, found.mean, found.lo, found.hi) == (0, None, None, None)
    assert (found.skipped, found.errors, found.method) == (1, 1, "none")


def test_a_run_without_records_has_its_metrics_all_the_same() -> None:
    found = summarised()["math-equiv"]
    assert (found.n, found.mean, found.errors) == (0, None, 0)


def test_an_empty_output_is_scored_and_counted() -> None:
    found = summarised(rows(0, text=" \n"), rows(1), rows(LOST))["math-equiv"]
    assert (found.n, found.mean, found.empty, found.errors) == (2, 0.5, 1, 1)


@given(
    records=st.lists(st.lists(RESULT, min_size=3, max_size=3), max_size=12),
    asked=st.sampled_from(["pass@1", "pass@2", "pass^2", "any", "all"]),
)
def test_every_record_is_counted_once_in_every_metric(
    records: list[list[Result]], asked: str
) -> None:
    name = f"math-equiv.{asked}"
    found = summarised(*(rows(*record) for record in records), trials=3, asked=[name])
    counts = [one.n + one.skipped + one.errors for one in found.values()]
    assert name in found
    assert counts == [len(records)] * len(found)


def test_trials_are_averaged_within_their_record_first() -> None:
    found = summarised(rows(1, 1, 0, 0), rows(1, 1, 1, 1), trials=4)["math-equiv"]
    assert (found.n, found.mean, found.method) == (2, 0.75, "t")


def test_trials_bring_pass_at_and_pass_hat_of_all_of_them() -> None:
    passes = [0, 3, 8, 1]
    records = [rows(*[1] * many, *[0] * (8 - many)) for many in passes]
    found = summarised(*records, trials=8, asked=["math-equiv.pass@4", "math-equiv.pass^4"])
    assert [*found] == [
        f"math-equiv{end}" for end in ("", ".pass@8", ".pass^8", ".pass@4", ".pass^4")
    ]
    for name, chance, k in (("pass@4", pass_at_k, 4), ("pass^4", pass_hat_k, 4)):
        expected = sum(chance(8, many, k) or 0.0 for many in passes) / 4
        assert found[f"math-equiv.{name}"].mean == pytest.approx(expected)
    assert found["math-equiv.pass@8"].mean == 0.75
    assert found["math-equiv.pass^8"].mean == 0.25


def test_a_record_that_lost_a_trial_keeps_its_mean_and_has_no_pass_of_all() -> None:
    found = summarised(rows(1, 0, LOST), rows(1, 1, 1), trials=3)
    mean, passing = found["math-equiv"], found["math-equiv.pass@3"]
    assert (mean.n, mean.mean, mean.partial, mean.errors) == (2, 0.75, 1, 0)
    assert (passing.n, passing.mean, passing.partial, passing.errors) == (1, 1.0, 0, 1)


@pytest.mark.parametrize(
    "changed",
    [{"grouped": True}, {"metrics": {"math-equiv": "lower"}}, {}],
    ids=["groups", "lower-is-better", "beyond-1"],
)
def test_what_cannot_be_read_as_marks_has_no_pass_k(changed: dict[str, Any]) -> None:
    given: dict[str, Any] = {"name": "math-equiv", "metrics": MATH.metrics, "own": "math-equiv"}
    measure = Measure(**{**given, **changed})
    records = rows(1, 0) if changed else rows(3, 0)
    assert [*summarised(records, measure=measure, trials=2)] == ["math-equiv"]


def test_shares_of_full_marks_have_pass_k() -> None:
    found = summarised(rows(0.5, 1.0), rows(0.5, 0.5), trials=2)["math-equiv.pass@2"]
    assert (found.n, found.mean) == (2, 0.5)


def test_clusters_widen_the_interval() -> None:
    values, groups = [1, 1, 1, 0, 0, 0, 1, 1, 1], "aaabbbccc"
    summary = Summary([MATH])
    for value, group in zip(values, groups, strict=True):
        summary.add(rows(value), cluster=group)
    found = summary.metrics()["math-equiv"]
    alone = interval_of(values, clusters=[*groups])
    assert (found.method, found.lo, found.hi) == ("cluster-t", alone.lo, alone.hi)


def test_a_record_without_a_cluster_is_one_of_its_own() -> None:
    summary = Summary([MATH])
    for value, group in zip([1, 1, 0, 1], ["a", "a", None, None], strict=True):
        summary.add(rows(value), cluster=group)
    found = summary.metrics()["math-equiv"]
    alone = interval_of([1, 1, 0, 1], clusters=["a", "a", "b", "c"])
    assert (found.lo, found.hi) == (alone.lo, alone.hi)


def test_confidence_widens_the_interval() -> None:
    usual, sure = (
        summarised(*[rows(1), rows(0)] * 5, confidence=confidence)["math-equiv"]
        for confidence in (0.95, 0.99)
    )
    assert sure.lo is not None
    assert usual.lo is not None
    assert sure.lo < usual.lo


def test_metrics_can_be_asked_for_along_the_way() -> None:
    summary = Summary([MATH])
    summary.add(rows(1))
    first = summary.metrics()["math-equiv"].n
    summary.add(rows(0))
    assert (first, summary.metrics()["math-equiv"].n) == (1, 2)


def test_a_hundred_thousand_records_take_little_memory() -> None:
    import tracemalloc

    summary, one = Summary([MATH]), rows(1)
    tracemalloc.start()
    for _ in range(100_000):
        summary.add(one)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 6_000_000
