"""What this pack registers: descriptors only, so that listing plugins imports no verifier."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = ["evalsi_register_evaluators"]


@hookimpl
def evalsi_register_evaluators() -> list[Plugin]:
    """The verifiers of the `rl` pack."""
    return [
        Plugin(
            "format-check",
            "evalsi_pack_rl.format_check:FormatCheck",
            "The whole completion matches a pattern; given tags appear exactly once",
        ),
        Plugin(
            "math-equiv",
            "evalsi_pack_rl.math_equiv:MathEquiv",
            "The final answer equals the reference",
        ),
        Plugin(
            "code-exec-tests",
            "evalsi_pack_rl.code_exec:CodeExecTests",
            "The fraction of test cases that the program passes in a sandbox",
        ),
        Plugin(
            "overlong-penalty",
            "evalsi_pack_rl.overlong_penalty:OverlongPenalty",
            "DAPO's soft penalty for completions near the length limit",
        ),
        Plugin(
            "reward-model",
            "evalsi_pack_rl.reward_model:RewardModel",
            "The score of a served reward model, over OpenRLHF's protocol or vLLM's",
        ),
    ]
