"""What an adapter knows of its trainer, and which release of it is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

from evalsi.core.errors import SpecError

if TYPE_CHECKING:
    from evalsi.core.reward import LoadedReward

__all__ = ["Trainer", "installed"]


class Trainer(NamedTuple):
    """A trainer that asks for one rollout at a time, and knows none without a reward.

    Attributes:
        name: as it writes itself; its distribution is the same in lower case.
        tested: the release that the adapter is tested against.
        reserved: names that no component may have, because the trainer keeps or logs other things
            under them.
    """

    name: str
    tested: str
    reserved: frozenset[str]

    @property
    def distribution(self) -> str:
        """What is installed."""
        return self.name.lower()

    def check(self, reward: LoadedReward) -> None:
        """Refuses a reward that cannot work in this trainer.

        Raises:
            SpecError: a component has a reserved name, or scores all rollouts of a prompt.
        """
        issues = [
            f"{self.name} keeps something else under the name {name}; "
            f"give the component another `name`"
            for name in reward.components
            if name in self.reserved
        ]
        if reward.grouped:
            issues.append(
                f"{self.name} asks for one rollout at a time, so an evaluator that compares all "
                f"rollouts of a prompt cannot work there; take it out of the spec"
            )
        if issues:
            raise SpecError(issues)


def installed(distribution: str) -> str | None:
    """The version of a distribution in this environment, which is not imported; None without it."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
