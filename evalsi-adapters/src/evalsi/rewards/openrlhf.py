"""An evalsi reward as the Python file that OpenRLHF's `--reward.remote_url` takes.

The spec is named by `EVALSI_REWARD_SPEC` in the environment of every Ray worker. OpenRLHF executes
this file under a name of its own and calls it for one rollout at a time, from many threads. What it
raises there is one line of the log, and the rollout has no reward, which ends the run when the
batch is used: no number is invented. Read from the sources of OpenRLHF 0.11.2: `utils/agent.py`,
`trainer/ppo_utils/samples_generator.py` and `experience_maker.py`.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import Any, Final

from evalsi.core.errors import DataError
from evalsi.core.reward.openrlhf import RESERVED, answer_of, rollout_of
from evalsi.rewards.loaded import loaded
from evalsi.rewards.trainer import Trainer

__all__ = ["TRAINER", "reward_func"]

TRAINER: Final = Trainer("OpenRLHF", tested="0.11.2", reserved=RESERVED)
"""OpenRLHF, as far as this adapter knows it."""

_log: Final = logging.getLogger("evalsi.rewards")


def reward_func(
    queries: Sequence[str],
    prompts: Sequence[str | None],
    labels: Sequence[object],
    **kwargs: Any,
) -> dict[str, Any]:
    """Rewards and scores of queries, and the value of every component as `extra_logs`.

    One-dimensional tensors in a process that has imported torch, else lists. The keys are always
    the same; rewards are finite; NaN stands for a component that was skipped or errored.

    Args:
        queries: prompt and response of each rollout, decoded with special tokens.
        prompts: the prompts.
        labels: the references, or what `row_of_label` takes for a row.
        **kwargs: nothing that is used here; OpenRLHF 0.11.2 passes none.

    Raises:
        SpecError: the spec is refused, or cannot work one rollout at a time.
        DataError: the lists differ in length, or a rollout cannot be read.
        RewardError: a component errored, or there is no total; it names every cause.
    """
    del kwargs
    try:
        return _scored(queries, prompts, labels)
    except Exception as error:
        # OpenRLHF logs it at a level that is easily lost among its own lines.
        _log.error("evalsi gives no reward, and OpenRLHF will end the run: %s", error)
        raise


def _scored(
    queries: Sequence[str], prompts: Sequence[str | None], labels: Sequence[object]
) -> dict[str, Any]:
    if not len(queries) == len(prompts) == len(labels):
        raise DataError(
            f"{len(queries)} queries, {len(prompts)} prompts and {len(labels)} labels: "
            f"they must be as many"
        )
    reward, missing = loaded(TRAINER)
    field = reward.terms.reference_field
    rows = zip(queries, prompts, labels, strict=True)
    rewards = reward.score([rollout_of(*row, reference_field=field) for row in rows])
    answer = answer_of(reward.components, rewards, missing)
    logs = {name: _column(values) for name, values in answer["extra_logs"].items()}
    return {
        "rewards": _column(answer["rewards"]),
        "scores": _column(answer["scores"]),
        "extra_logs": logs,
    }


def _column(values: list[float]) -> Any:
    # Up to 0.9 the lists of many calls are concatenated as tensors. A process without torch is
    # none of OpenRLHF's, and need not wait for its import.
    torch = sys.modules.get("torch")
    return values if torch is None else torch.tensor(values)


if __name__ == "reward_func" and os.environ.get("EVALSI_REWARD_SPEC"):
    # The name by which OpenRLHF executes this file, when it starts: a spec that is refused then
    # ends the start, where an exception of `reward_func` would cost the first batch.
    loaded(TRAINER)
