"""Results: scores, failures with their causes, and rewards."""

from __future__ import annotations

import pickle

import pytest

from evalsi.core import (
    By,
    ComponentResult,
    Errored,
    Failure,
    Reward,
    SandboxUnavailable,
    Score,
    Skipped,
)
from evalsi.core.results import INFRASTRUCTURE


def test_a_failure_of_ours_keeps_its_kind() -> None:
    failure = Failure.of(SandboxUnavailable("no usable rung"))
    assert failure == Failure("sandbox", "no usable rung", retryable=True)


def test_a_failure_of_a_stranger_names_its_type_and_place() -> None:
    def raises() -> None:
        raise KeyError("answer")

    with pytest.raises(KeyError) as caught:
        raises()
    failure = Failure.of(caught.value)
    assert (failure.kind, failure.message) == ("evaluator", "KeyError: 'answer'")
    assert failure.where.startswith("test_results.py:")
    assert failure.where.endswith(" in raises")


def test_an_error_that_was_never_raised_has_no_place() -> None:
    assert Failure.of(ValueError("x")).where == ""


def test_an_error_that_cannot_be_shown_is_still_a_failure() -> None:
    class Broken(Exception):  # noqa: N818 - a stranger's name
        def __str__(self) -> str:
            raise RuntimeError

    assert Failure.of(Broken()).message == ("Broken: its message cannot be shown (RuntimeError)")


def test_a_long_message_of_a_stranger_is_cut() -> None:
    assert len(Failure.of(ValueError("x" * 1_000_000)).message) < 2100


@pytest.mark.parametrize("kind", ["evaluator", "deadline", "data", *sorted(INFRASTRUCTURE)])
def test_only_the_infrastructures_failures_are_its_own(kind: str) -> None:
    assert Failure(kind, "x").infrastructure is (kind in {"sandbox", "judge", "server", "engine"})


def test_a_failure_reads_as_a_sentence_with_kind_and_place() -> None:
    assert str(Failure("data", "no completion", "row 3")) == "no completion (data, row 3)"


def test_a_reward_gives_its_components_by_name() -> None:
    part = ComponentResult("tests", Score(1.0), By("rl:code-exec-tests", "evalsi-pack-rl", "0.1.0"))
    reward = Reward("r1", 1.0, False, (part,))
    assert reward["tests"] is part


def test_a_component_that_a_reward_lacks_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="tests"):
        Reward("r1", None, False, ())["tests"]


@pytest.mark.parametrize(
    "result",
    [
        Score(0.5, {"length": 3.0}, "half", {"a": [1]}, stable=False),
        Skipped("none"),
        Errored(Failure("data", "x")),
    ],
    ids=["score", "skipped", "errored"],
)
def test_results_cross_processes(result: object) -> None:
    assert pickle.loads(pickle.dumps(result)) == result
