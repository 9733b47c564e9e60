"""An evalsi reward as verl's custom reward function.

    reward.custom_reward_function.path=pkg://evalsi.rewards.verl
    ++reward.custom_reward_function.reward_kwargs.spec=/path/to/reward.yaml

verl calls it for one rollout at a time, from many threads, and may execute this file itself. It
knows no rollout without a reward: what has none raises, which ends the step. Read from the sources
of verl 0.9.1: `trainer/ppo/reward.py` and `experimental/reward_loop`.
"""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any, Final

from evalsi.core.errors import DataError
from evalsi.core.results import Reward, Score
from evalsi.core.reward.missing import total_or
from evalsi.rewards.loaded import Loaded, loaded
from evalsi.rewards.trainer import Trainer
from evalsi.rewards.verl_rows import rollout_of

__all__ = ["TRAINER", "compute_score", "compute_score_batch"]

# Beside its own columns, the keys of its validation's table and of the generations that it dumps.
_TAKEN: Final = """
score reward uid index data_source reward_model extra_info raw_prompt raw_prompt_ids agent_name
tools_kwargs multi_modal_data multi_modal_inputs reward_scores rm_scores turn_scores tool_rewards
tool_extra_fields min_global_steps max_global_steps extras priority acc_success_only
input output gts step
""".split()  # noqa: SIM905 - a list would take a screen

TRAINER: Final = Trainer("verl", tested="0.9.1", reserved=frozenset(_TAKEN))
"""verl, as far as this adapter knows it."""

_log: Final = logging.getLogger("evalsi.rewards")
_OURS: Final = ("spec", "server", "missing")
_VERLS: Final = ("reward_router_address", "reward_model_tokenizer")


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: object,
    extra_info: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> dict[str, float]:
    """The reward of one rollout: `score`, which verl trains on, and every component's value.

    The keys are the same for every rollout; NaN stands for a component that was skipped or, where
    the spec's `onError` lets a rollout with an error have a total, errored.

    Args:
        data_source: the row's; evaluators find it in the metadata.
        solution_str: the completion.
        ground_truth: the reference, or what `row_of_label` takes for a row.
        extra_info: everything else; `prompt`, `input` or `question` is the prompt.
        **kwargs: `reward_kwargs`, each by default from the environment: `spec`, `server`, and
            `missing`, what a rollout without a total gets: `raise` (the default) or a number.

    Raises:
        SpecError: the spec is refused, or cannot work one rollout at a time.
        DataError: the rollout, or one of `kwargs`, cannot be read.
        RewardError: a component errored, or there is no total; it names every cause.
    """
    try:
        row = (data_source, solution_str, ground_truth, extra_info)
        return _scored([row], kwargs)[0]
    except Exception:
        if not _swallowed(sys._getframe(1)):
            raise
        _log.exception("verl's rate_limited manager would make 0 of this; the step is ended")
        return {"score": None}  # type: ignore[dict-item]


def compute_score_batch(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[object],
    extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
    **kwargs: Any,
) -> list[dict[str, float]]:
    """As `compute_score` for a batch at once, which verl's older `batch` manager asks for.

    Raises:
        DataError: the lists differ in length.
    """
    infos = [None] * len(solution_strs) if extra_infos is None else extra_infos
    columns = (data_sources, solution_strs, ground_truths, infos)
    if len({len(column) for column in columns}) > 1:
        lengths = ", ".join(str(len(column)) for column in columns)
        raise DataError(f"sources, solutions, ground truths and infos differ in number: {lengths}")
    return _scored(list(zip(*columns, strict=True)), kwargs)


def _scored(
    rows: Sequence[tuple[str, str, object, Mapping[str, Any] | None]], kwargs: Mapping[str, Any]
) -> list[dict[str, float]]:
    reward, missing = _loaded(kwargs)
    field = reward.terms.reference_field
    rollouts = [rollout_of(*row, reference_field=field) for row in rows]
    return [_answer(found, missing) for found in reward.score(rollouts)]


def _loaded(kwargs: Mapping[str, Any]) -> Loaded:
    if unknown := sorted(kwargs.keys() - {*_OURS, *_VERLS}):
        raise DataError(
            f"reward_kwargs holds {', '.join(unknown)}, which is not known here (tested with verl "
            f"{TRAINER.tested}); known: {', '.join(_OURS)}"
        )
    return loaded(TRAINER, **{name: kwargs.get(name) for name in _OURS})


def _answer(reward: Reward, missing: float | None) -> dict[str, float]:
    values = {
        part.name: part.result.value if isinstance(part.result, Score) else math.nan
        for part in reward.components
    }
    return {"score": total_or(reward, missing), **values}


def _swallowed(frame: FrameType | None) -> bool:
    """Whether the caller is verl's `rate_limited` manager, to which every exception is a 0.

    None for a score is a `TypeError` there, which ends the step.
    """
    while frame is not None:
        if str(frame.f_globals.get("__name__")).endswith("reward_loop.reward_manager.limited"):
            return True
        frame = frame.f_back
    return False
