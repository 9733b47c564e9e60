"""The answer: rewards as `evalsi rewards score` prints them, who computed them, and what failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from evalsi.core.errors import RewardError
from evalsi.core.results import By
from evalsi.core.reward.arithmetic import Rule, total
from evalsi.core.reward.function import RewardFunction, Settled
from evalsi.core.reward.rows import provenance, static_provenance
from evalsi.core.reward.wire.description import (
    Description,
    described,
    description_of,
    row_of_description,
)
from evalsi.core.reward.wire.json_bytes import NotCarried, decoded, encoded
from evalsi.core.reward.wire.problem import error_row, failure_of, row_of_failure
from evalsi.core.reward.wire.rewards import reward_of, wire_row

__all__ = ["Answer", "answer_bytes", "read_answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server made of a batch.

    Attributes:
        description: the reward that scored it.
        by: who computed each component's number, by component.
        settled: for each rollout of the request, in its order, the reward, and what fails the
            batch under `onError: raise`.
    """

    description: Description
    by: Mapping[str, By]
    settled: tuple[Settled, ...]


def answer_bytes(
    function: RewardFunction, settled: Sequence[Settled], *, evidence: bool
) -> tuple[int, bytes]:
    """The status and the body by which a server tells the rewards of a batch.

    Under `onError: raise` a batch with causes is an error, 500, that shows its rewards all the
    same: a client that reads a stream keeps those before the first cause.

    Args:
        function: the reward.
        settled: what its `rewards` gave for the request's rollouts.
        evidence: whether evidence is shown.
    """
    rewards = [row.reward for row in settled]
    body: dict[str, Any] = {
        "spec": row_of_description(described(function)),
        "by": provenance(rewards[0]) if rewards else static_provenance(function),
        "rewards": [wire_row(reward, evidence=evidence) for reward in rewards],
    }
    causes = [(place, *cause) for place, row in enumerate(settled) for cause in row.causes]
    if not causes:
        return 200, encoded(body)
    error = error_row(RewardError([cause[1:] for cause in causes]))
    error["causes"] = [
        {"rollout": place, "id": name, "component": component, **row_of_failure(failure)}
        for place, name, component, failure in causes
    ]
    return 500, encoded({"error": error, **body})


def read_answer(body: bytes, names: Sequence[str]) -> Answer:
    """The answer that a body is.

    Args:
        body: of an answer with rewards, whatever its status.
        names: the ids of the request's rollouts.

    Raises:
        NotCarried: it is no whole answer, or not to these rollouts.
    """
    found = decoded(body)
    try:
        description = description_of(found["spec"])
        by = {name: _by(row) for name, row in found["by"].items()}
        parts = [weighing.name for weighing in description.rule.weighings]
        rewards = [reward_of(row, parts, by) for row in found["rewards"]]
        settled = dict(enumerate(Settled(reward, []) for reward in rewards))
        for row in found.get("error", {}).get("causes", ()):
            cause = (row["id"], row["component"], failure_of(row))
            settled[row["rollout"]].causes.append(cause)
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise NotCarried(
            f"is no answer of a reward server ({type(error).__name__}: {error})"
        ) from error
    if [reward.id for reward in rewards] != list(names):
        raise NotCarried(f"holds {len(rewards)} rewards for {len(names)} rollouts, or other ids")
    for row in settled.values():
        _require_sum(description.rule, row)
    return Answer(description, by, tuple(settled.values()))


def _require_sum(rule: Rule, row: Settled) -> None:
    """Refuses a total, or causes, that the components do not have: floats travel exactly."""
    reward = row.reward
    found = total(rule, [component.result for component in reward.components])
    causes = [(reward.id, name, failure) for name, failure in found.causes]
    if (found.total, found.gated, causes) != (reward.total, reward.gated, row.causes):
        raise NotCarried(f"has for rollout {reward.id} a total that its components do not have")


def _by(row: Mapping[str, Any]) -> By:
    # Empty fields are left out, and those of a later version are not for this one.
    return By(*[row.get(field.name, "") for field in fields(By)])
