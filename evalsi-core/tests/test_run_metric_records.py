"""Which records a metric counts: those that it is about, each once, whatever became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core import JSON, Errored, Failure, Result, Score, Skipped
from evalsi.core.chat import Output
from evalsi.core.run.gates import MetricGate, judge_gate
from evalsi.core.run.measures import Measure, metrics_of
from evalsi.core.run.results import RecordResult
from evalsi.core.run.summary import MetricSummary, Summary

LOST = Errored(Failure("server", "no answer"))
HARMFUL, BENIGN = "refusal[harmful]", "over-refusal[benign]"
SAFE = Measure(
    "refusal",
    {"refusal": "neither", HARMFUL: "higher", BENIGN: "lower"},
    "refusal",
    about={HARMFUL: {"kind": "harmful"}, BENIGN: {"kind": "benign"}},
)
SIMILAR = Measure("seen", {"seen": "lower", "seen.similarity": "lower"}, "seen")
KINDS = st.sampled_from(["harmful", "benign", "", None])
RESULTS = st.sampled_from(["scored", "skipped", "lost"])


def result(kind: object, state: str = "scored", value: float = 1.0) -> Result:
    metric = {"harmful": HARMFUL, "benign": BENIGN}.get(str(kind))
    scored = Score(value, {metric: value} if metric else {})
    return {"scored": scored, "skipped": Skipped("nothing was said"), "lost": LOST}[state]


def summarised(
    records: Sequence[tuple[Mapping[str, JSON], Sequence[Result]]], measure: Measure = SAFE
) -> dict[str, MetricSummary]:
    summary = Summary([measure])
    for metadata, trials in records:
        rows = [
            RecordResult("r", trial, LOST if one is LOST else Output("so"), {measure.name: one})
            for trial, one in enumerate(trials)
        ]
        summary.add(rows, metadata=metadata)
    return summary.metrics()


def counts(found: Mapping[str, MetricSummary]) -> dict[str, tuple[int, int, int]]:
    return {name: (one.n, one.skipped, one.errors) for name, one in found.items()}


def records(*told: tuple[str, str, int]) -> list[tuple[Mapping[str, JSON], list[Result]]]:
    return [({"kind": kind}, [result(kind, state)]) for kind, state, n in told for _ in range(n)]


def test_a_metric_counts_the_records_that_it_is_about_and_no_others() -> None:
    told = [("harmful", "scored", 5), ("harmful", "lost", 2), ("harmful", "skipped", 1)]
    further = [("benign", "scored", 7), ("benign", "lost", 3), ("other", "lost", 4)]
    assert counts(summarised(records(*told, *further))) == {
        "refusal": (12, 1, 9),
        HARMFUL: (5, 1, 2),
        BENIGN: (7, 0, 3),
    }


@given(st.lists(st.tuples(KINDS, st.lists(RESULTS, min_size=1, max_size=3)), max_size=12))
def test_every_record_of_a_metric_is_scored_skipped_or_lost(
    drawn: list[tuple[str | None, list[str]]],
) -> None:
    found = summarised([({"kind": k}, [result(k, one) for one in states]) for k, states in drawn])
    kinds = [kind for kind, _ in drawn]
    wanted = {"refusal": len(kinds), HARMFUL: kinds.count("harmful"), BENIGN: kinds.count("benign")}
    sums = {name: one.n + one.skipped + one.errors for name, one in found.items()}
    assert sums == {name: wanted[name] for name in sums}


def test_a_metric_that_a_score_does_not_report_is_skipped_there() -> None:
    told = [Score(0.0, {"seen.similarity": 0.5}), Score(0.0), LOST]
    found = summarised([({}, [one]) for one in told], SIMILAR)
    assert counts(found) == {"seen": (2, 0, 1), "seen.similarity": (1, 1, 1)}


@pytest.mark.parametrize(
    ("told", "measure"),
    [([{"kind": "benign"}], SAFE), ([{}, {}], SIMILAR)],
    ids=["about-no-record", "reported-by-none"],
)
def test_a_metric_that_says_nothing_is_left_out(
    told: list[Mapping[str, JSON]], measure: Measure
) -> None:
    found = summarised([(one, [result(one.get("kind"))]) for one in told], measure)
    assert HARMFUL not in found
    assert "seen.similarity" not in found


def test_a_metric_whose_records_all_failed_is_there_and_fails_its_gate() -> None:
    found = summarised(records(("harmful", "lost", 3), ("benign", "scored", 9)))
    assert counts(found)[HARMFUL] == (0, 0, 3)
    held = judge_gate(MetricGate(HARMFUL, min=0.1), found)
    assert (held.passed, held.reason) == (
        False,
        f"{HARMFUL} was measured on no record (0 skipped, 3 errors)",
    )


def test_the_interval_of_a_metric_follows_from_its_own_values() -> None:
    half = [({"kind": "benign"}, [result("benign", value=0.5)])]
    found = summarised([*records(("harmful", "scored", 4), ("benign", "scored", 4)), *half])
    assert (found[HARMFUL].method, found[BENIGN].method) == ("wilson", "t")


def test_a_use_whose_value_is_such_a_metric_counts_its_records() -> None:
    chosen = Measure("refuses", SAFE.metrics, "refusal", HARMFUL, about=SAFE.about)
    rows = records(("harmful", "scored", 2), ("harmful", "lost", 1), ("benign", "lost", 5))
    found = summarised(rows, chosen)
    assert next(metric.name for metric in metrics_of([chosen])) == "refuses"
    assert counts(found)["refuses"] == (2, 0, 1)
