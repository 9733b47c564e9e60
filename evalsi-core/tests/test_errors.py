"""The errors: one root, every cause in the message, and the same after a process boundary."""

from __future__ import annotations

import pickle

import pytest

from evalsi.core import DataError, EvalsiError, Failure, RewardError, SpecError
from evalsi.core import errors as family

LOST = Failure("sandbox", "no usable rung")


@pytest.mark.parametrize("name", family.__all__)
def test_every_error_has_one_root(name: str) -> None:
    assert issubclass(getattr(family, name), EvalsiError)


@pytest.mark.parametrize(
    "error",
    [DataError("x"), SpecError(["a", "b"]), RewardError([("r1", "tests", LOST)])],
    ids=["data", "spec", "reward"],
)
def test_an_error_is_the_same_in_another_process(error: EvalsiError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_a_spec_error_shows_every_issue() -> None:
    assert str(SpecError(["first", "second"])) == "first\nsecond"


def test_a_spec_error_of_one_issue_is_that_issue() -> None:
    assert SpecError("only").issues == ("only",)


def test_a_reward_error_names_rollout_component_and_cause() -> None:
    error = RewardError([("r1", "tests", LOST)])
    assert str(error) == "rollout r1, component tests: no usable rung (sandbox)"


def test_a_reward_error_shows_twenty_causes_and_counts_the_rest() -> None:
    error = RewardError([(f"r{number}", "tests", LOST) for number in range(25)])
    assert str(error).splitlines()[19:] == [
        "rollout r19, component tests: no usable rung (sandbox)",
        "and 5 more",
    ]


def test_a_reward_error_keeps_every_cause() -> None:
    causes = [(f"r{number}", "tests", LOST) for number in range(25)]
    assert RewardError(causes).causes == tuple(causes)
