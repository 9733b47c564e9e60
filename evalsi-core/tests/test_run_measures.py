"""What metrics are called, and which names a run refuses."""

from __future__ import annotations

from typing import Any

import pytest

from evalsi.core.evaluator import Batch
from evalsi.core.results import By
from evalsi.core.run.measures import Measure, measure_of, metric_issue, metrics_of
from evalsi.core.spec import Bound

REFUSAL = {"refusal": "neither", "refusal[harmful]": "higher", "over-refusal[benign]": "lower"}
DIVERSITY = {"diversity": "higher", "diversity.distinct-2": "higher"}


def measure(own: str, metrics: dict[str, Any] | None = None, **changed: Any) -> Measure:
    return Measure(**{"name": own, "metrics": metrics or {own: "higher"}, "own": own, **changed})


def names(*measures: Measure) -> list[str]:
    return [metric.name for metric in metrics_of(measures)]


def test_a_value_bears_the_name_of_its_use() -> None:
    assert names(measure("math-equiv"), measure("math-equiv", name="strict")) == [
        "math-equiv",
        "strict",
    ]


def test_names_that_say_whose_they_are_stay() -> None:
    assert names(measure("refusal", REFUSAL), measure("diversity", DIVERSITY)) == [
        "refusal",
        "refusal[harmful]",
        "over-refusal[benign]",
        "diversity",
        "diversity.distinct-2",
    ]


def test_a_plain_name_gets_its_uses_in_front() -> None:
    assert names(measure("shout", {"shout": "higher", "volume": "neither"})) == [
        "shout",
        "shout.volume",
    ]


def test_a_use_of_another_name_shares_no_metric() -> None:
    assert names(measure("refusal", REFUSAL), measure("refusal", REFUSAL, name="r2"))[3:] == [
        "r2",
        "r2[harmful]",
        "r2.over-refusal[benign]",
    ]


def test_two_evaluators_that_declare_one_name_are_told_apart() -> None:
    both = {"leaks[mail]": "lower"}
    assert names(measure("pii", both), measure("secrets", both)) == [
        "pii",
        "leaks[mail]",
        "secrets",
        "secrets.leaks[mail]",
    ]


def test_directions_are_the_declared_ones_and_higher_without_any() -> None:
    found = {metric.name: metric.direction for metric in metrics_of([measure("refusal", REFUSAL)])}
    assert found == REFUSAL
    assert metrics_of([measure("plain", {"other": "lower"})])[0].direction == "higher"


def test_a_chosen_metric_is_the_value_with_its_direction() -> None:
    chosen = measure("refusal", REFUSAL, name="over", value="over-refusal[benign]")
    first = metrics_of([chosen])[0]
    assert (first.name, first.key, first.direction) == ("over", "over-refusal[benign]", "lower")
    assert names(chosen) == ["over", "over[harmful]"]


def bound(entry: str) -> Bound:
    return Bound(
        "mine", By("acme:shout", "acme-pack", "1.0"), "acme:Shout", None, entry, ("output",), (),
        frozenset(), True, Batch(), {"shout": "higher", "volume": "lower"}, "volume",
    )  # fmt: skip


def test_a_bound_evaluator_is_a_measure() -> None:
    expected = Measure("mine", {"shout": "higher", "volume": "lower"}, "shout", "volume")
    assert measure_of(bound("score")) == expected


@pytest.mark.parametrize(
    ("entry", "grouped"),
    [("score", False), ("ascore_batch", False), ("score_group", True), ("ascore_group", True)],
)
def test_an_evaluator_of_whole_groups_is_known_by_its_method(entry: str, grouped: bool) -> None:
    assert measure_of(bound(entry)).grouped is grouped


MEASURES = (measure("math-equiv"), measure("diversity", DIVERSITY, grouped=True))


@pytest.mark.parametrize(
    "name",
    ["math-equiv", "diversity.distinct-2", "math-equiv.pass@8", "math-equiv.any"],
)
def test_a_metric_of_the_run_has_no_issue(name: str) -> None:
    assert metric_issue(name, MEASURES, trials=8) is None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("maths-equiv", 'did you mean "math-equiv"?'),
        ("contains", "this run has math-equiv, diversity or diversity.distinct-2"),
        ("math-equiv.pass@16", "needs 16 trials; the spec has `trials: 8`"),
        ("diversity.pass@8", "takes all trials together"),
        ("contains.pass@8", 'is "contains.pass@8"'),
    ],
)
def test_another_name_is_told_with_its_mend(name: str, told: str) -> None:
    issue = metric_issue(name, MEASURES, trials=8)
    assert issue is not None
    assert told in issue
