"""The functions that TRL calls, one a column of numbers, and their weights."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from evalsi.core.errors import DataError, SpecError
from evalsi.core.reward.missing import LARGEST
from evalsi.rewards.trl_batch import batch_of
from evalsi.rewards.trl_caller import KEYWORDS, Caller
from evalsi.rewards.trl_scoring import Scoring

if TYPE_CHECKING:
    from evalsi.core.reward import LoadedReward

__all__ = ["TrlFunction", "functions_of"]

_LOG: Final = logging.getLogger("evalsi")


class TrlFunction:
    """One reward function; safe from many threads. Those that are pickled together stay together.

    Its `__name__` is what TRL logs.

    Args:
        scoring: what its functions share.
        place: its place in a row: 0 is the total, a component's is one more than in the spec.
        name: its name.
        weight: the weight that TRL is to give it.
    """

    def __init__(self, scoring: Scoring, place: int, name: str, weight: float) -> None:
        self.__name__ = name
        self._scoring = scoring
        self._place = place
        self._weight = weight
        self._told = False

    def __call__(
        self,
        prompts: Sequence[object] | None = None,
        completions: Sequence[object] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """One number a completion, or None where nothing was measured or there is no total.

        Raises:
            DataError: the call cannot be read, or this trainer would misread the answer.
            RewardError: a component errored under `onError: raise`.
        """
        caller = Caller(**{name: columns.pop(name, None) for name in KEYWORDS})
        batch = batch_of({"prompts": prompts, "completions": completions, **columns})
        if caller.adds_unweighted and self._weight != 1:
            return self._unweighted(len(batch))
        return [row[self._place] for row in self._scoring.rows(self._place, caller, batch)]

    def __repr__(self) -> str:
        return f"<TRL reward {self.__name__!r}>"

    def __str__(self) -> str:
        # TRL passes a column named `prompts` twice, and of the TypeError only this text is ours.
        return (
            f"{self!r} (rename a column of the dataset that bears a name of "
            f"TRL's own: prompts, completions, completion_ids)"
        )

    def _unweighted(self, rows: int) -> list[float | None]:
        """What AsyncGRPO, which adds up every function, may get from one of another weight."""
        if self._weight:
            raise DataError(
                f"AsyncGRPO has no reward weights, and {self.__name__!r} has weight "
                f"{self._weight:g}: train on the total, without multi_objective"
            )
        if not self._told:
            self._told = True
            _LOG.warning("AsyncGRPO adds up every function: %s gives None there", self.__name__)
        return [None] * rows


def functions_of(
    reward: LoadedReward, *, breakdown: bool, multi_objective: bool
) -> tuple[list[TrlFunction], list[float]]:
    """A loaded reward's functions and weights: see `evalsi.rewards.trl.reward_funcs`."""
    if multi_objective:
        _refuse_rules_of_the_total(reward)
    own = [weighing.weight if multi_objective else 0.0 for weighing in reward.rule.weighings]
    weights = [0.0 if multi_objective else 1.0, *own]
    names = ["", *(f"/{component}" for component in reward.components)]
    places = [place for place, weight in enumerate(weights) if breakdown or weight]
    scoring = Scoring(reward, len(places))
    functions = [
        TrlFunction(scoring, place, reward.terms.name + names[place], weights[place])
        for place in places
    ]
    return functions, [weights[place] for place in places]


def _refuse_rules_of_the_total(reward: LoadedReward) -> None:
    rule = reward.rule
    issues = [
        f"component {weighing.name!r} is a gate, which decides about the total; multi_objective "
        f"trains on each component by itself: remove `gate`, or train on the total"
        for weighing in rule.weighings
        if weighing.gate
    ]
    if rule.clip is not None:
        issues.append("`clip` bounds a total that multi_objective never sees: remove it")
    issues += [
        f"component {weighing.name!r} has weight {weighing.weight:g}, more than TRL's 32 bits hold"
        for weighing in rule.weighings
        if abs(weighing.weight) > LARGEST
    ]
    if issues:
        raise SpecError(issues)
