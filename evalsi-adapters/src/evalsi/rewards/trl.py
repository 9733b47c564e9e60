"""Rewards as TRL's reward functions: the total to train on, and every component for the log.

TRL calls one function after another with the same batch, and logs each under its `__name__`; the
batch is scored once. TRL itself is never imported here. Read from its sources: GRPO, RLOO, Online
DPO, SDPO and AsyncGRPO of the versions below.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Final

from evalsi.core.reward import load_reward
from evalsi.rewards.trainer import installed
from evalsi.rewards.trl_function import TrlFunction, functions_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from evalsi.core.reward import RemoteServer

__all__ = ["TESTED", "reward_funcs"]

TESTED: Final = ("1.9", "1.16")
"""The first and the last minor version of TRL that this adapter was run with (1.12 too)."""


def reward_funcs(
    spec: str | Path | Mapping[str, Any],
    server: str | RemoteServer | None = None,
    *,
    breakdown: bool = True,
    multi_objective: bool = False,
) -> tuple[list[TrlFunction], list[float]]:
    """A spec's reward functions for TRL, and their `reward_weights`.

    The first function, named `<spec>`, gives the totals and has weight 1; one for each component,
    named `<spec>/<component>`, has weight 0 and is only logged. Where a row has no total every
    function gives None, and TRL leaves the row out; a component that was skipped gives None alone.

    Args:
        spec: as `evalsi.core.reward.load_reward` takes it.
        server: the address of a reward server, or its `RemoteServer`, where the evaluators run.
        breakdown: whether there are functions of weight 0.
        multi_objective: weigh the components one by one, by the spec's weights, and the total by 0,
            for `multi_objective_aggregation="normalize_then_sum"`.

    Raises:
        SpecError: the spec is refused; or, with `multi_objective`, it has a gate or a clip, which
            are rules about a total that such a trainer never sees.
    """
    _warn_of_an_untested_version()
    reward = load_reward(spec, server=server)
    return functions_of(reward, breakdown=breakdown, multi_objective=multi_objective)


def _warn_of_an_untested_version() -> None:
    found = installed("trl")
    if found is None:
        return
    if not _minor(TESTED[0]) <= _minor(found) <= _minor(TESTED[1]):
        warnings.warn(
            f"evalsi.rewards.trl was tested with TRL {TESTED[0]} to {TESTED[1]}; this is {found}. "
            f"See that rows without a total keep advantage 0, or install a tested version",
            stacklevel=3,
        )


def _minor(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)[:2]))
