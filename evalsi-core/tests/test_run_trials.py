"""Several trials of one record: names of reductions, and what each comes to."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core import Errored, Failure, Result, Score, Skipped
from evalsi.core.run.trials import (
    MEAN,
    Outcome,
    Reduction,
    metric_and_reduction,
    outcome_of,
    reduced,
)

LOST = Errored(Failure("server", "no answer"))
REDUCTIONS = [MEAN, Reduction("any"), Reduction("all")]


def outcome(*results: Result | float, metric: str | None = None) -> Outcome | None:
    given = [Score(one) if isinstance(one, int | float) else one for one in results]
    return outcome_of(given, [False] * len(given), metric)


def value(how: Reduction, *results: Result | float) -> float | None:
    found = outcome(*results)
    assert found is not None
    return reduced(found, how)


@pytest.mark.parametrize(
    ("name", "metric", "how"),
    [
        ("math-equiv", "math-equiv", MEAN),
        ("math-equiv.pass@8", "math-equiv", Reduction("pass@", 8)),
        ("math-equiv.pass^16", "math-equiv", Reduction("pass^", 16)),
        ("refusal[harmful].any", "refusal[harmful]", Reduction("any")),
        ("a.b.all", "a.b", Reduction("all")),
        ("diversity.distinct-2", "diversity.distinct-2", MEAN),
        ("math-equiv.pass@0", "math-equiv.pass@0", MEAN),
        ("math-equiv.pass@", "math-equiv.pass@", MEAN),
        ("math-equiv.pass@8x", "math-equiv.pass@8x", MEAN),
        ("math-equiv.pass@٨", "math-equiv.pass@٨", MEAN),
        (".any", ".any", MEAN),
    ],
)
def test_a_metrics_name_says_its_reduction(name: str, metric: str, how: Reduction) -> None:
    assert metric_and_reduction(name) == (metric, how)


@given(
    metric=st.text(min_size=1, max_size=20),
    how=st.one_of(
        st.sampled_from([Reduction("any"), Reduction("all")]),
        st.builds(Reduction, st.sampled_from(["pass@", "pass^"]), st.integers(1, 999)),
    ),
)
def test_names_are_read_as_they_are_written(metric: str, how: Reduction) -> None:
    assert metric_and_reduction(how.of(metric)) == (metric, how)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (MEAN, 0.375),
        (Reduction("pass@", 1), 0.375),
        (Reduction("pass@", 4), 1 - 5 / 70),
        (Reduction("pass^", 3), 1 / 56),
        (Reduction("pass^", 4), 0.0),
        (Reduction("any"), 1.0),
        (Reduction("all"), 0.0),
    ],
    ids=lambda how: how.of("m") if isinstance(how, Reduction) else "",
)
def test_three_passes_of_eight(how: Reduction, expected: float) -> None:
    assert value(how, 1, 0, 1, 0, 0, 1, 0, 0) == pytest.approx(expected)


def test_full_marks_pass_and_a_share_does_not() -> None:
    assert value(Reduction("pass@", 1), 1.0, 0.99, 0.5, 2.0) == 0.5


@pytest.mark.parametrize("missing", [LOST, Skipped()], ids=["errored", "skipped"])
@pytest.mark.parametrize("kind", ["pass@", "pass^"])
def test_a_missing_trial_leaves_pass_k_of_all_undefined(missing: Result, kind: str) -> None:
    how = Reduction(kind, 3)  # type: ignore[arg-type]
    assert value(how, 1, 1, missing) is None
    assert value(how, 1, 1, 1) == 1


@pytest.mark.parametrize(
    ("kind", "results", "expected"),
    [
        ("any", (1, LOST), 1.0),
        ("any", (0, LOST), None),
        ("any", (0, Skipped()), None),
        ("any", (0, 0), 0.0),
        ("all", (0, LOST), 0.0),
        ("all", (1, LOST), None),
        ("all", (1, 1), 1.0),
    ],
    ids=str,
)
def test_any_and_all_answer_once_the_missing_cannot_change_it(
    kind: str, results: tuple[Result | float, ...], expected: float | None
) -> None:
    assert value(Reduction(kind), *results) == expected  # type: ignore[arg-type]


@given(passes=st.lists(st.booleans(), min_size=1, max_size=6), lost=st.integers(0, 3))
def test_what_any_and_all_say_holds_for_every_way_the_lost_trials_could_have_gone(
    passes: list[bool], lost: int
) -> None:
    results = [*map(float, passes), *[LOST] * lost]
    ways = [[*passes, *rest] for rest in itertools.product([False, True], repeat=lost)]
    for kind, truth in (("any", any), ("all", all)):
        possible = {float(truth(way)) for way in ways}
        expected = possible.pop() if len(possible) == 1 else None
        assert value(Reduction(kind), *results) == expected  # type: ignore[arg-type]


@given(results=st.lists(st.sampled_from([1.0, 0.0, 0.5, LOST, Skipped()]), min_size=1))
def test_every_trial_is_counted_once(results: list[Result | float]) -> None:
    found = outcome(*results)
    assert found is not None
    assert found.scored + found.skipped + found.errors == len(results)
    assert found.passed == results.count(1.0)


def test_nothing_measured_is_no_value_in_any_reduction() -> None:
    assert [value(how, LOST, Skipped()) for how in REDUCTIONS] == [None, None, None]


def test_a_score_that_lacks_a_metric_is_skipped_in_that_metric_alone() -> None:
    harmful = Score(1.0, {"refusal[harmful]": 1.0})
    assert outcome(Score(1.0), metric="refusal[harmful]") == (0.0, 0, 0, 1, 0, False)
    assert outcome(harmful, Score(1.0), metric="refusal[harmful]") == (1.0, 1, 1, 1, 0, False)
    assert outcome(harmful, Score(1.0)) == (1.0, 2, 2, 0, 0, False)


def test_an_empty_output_counts_where_it_was_measured() -> None:
    assert outcome_of([Score(0.0), Score(1.0)], [True, False], None) == (0.5, 2, 1, 0, 0, True)
    assert outcome_of([LOST, Score(1.0)], [True, False], None) == (1.0, 1, 1, 0, 1, False)
