"""`reward-model`: the score of a served reward model, over what such servers speak."""

from __future__ import annotations

from evalsi_pack_rl.reward_model.evaluator import RewardModel
from evalsi_pack_rl.reward_model.params import RewardModelParams

__all__ = ["RewardModel", "RewardModelParams"]
