"""What this pack registers: descriptors only, so that listing plugins imports no evaluator."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = ["evalsi_register_evaluators"]


@hookimpl
def evalsi_register_evaluators() -> list[Plugin]:
    """The evaluators of the `general` pack."""
    return [
        Plugin(
            "exact-match",
            "evalsi_pack_general.exact_match:ExactMatch",
            "The answer is the reference, small differences of spelling aside",
        ),
        Plugin(
            "contains",
            "evalsi_pack_general.contains:Contains",
            "The answer holds any or all of some texts",
        ),
        Plugin(
            "regex-match",
            "evalsi_pack_general.regex_match:RegexMatch",
            "A regular expression matches the answer",
        ),
        Plugin(
            "json-valid",
            "evalsi_pack_general.json_valid:JsonValid",
            "The answer is one JSON value",
        ),
        Plugin(
            "json-schema",
            "evalsi_pack_general.json_schema:JsonSchema",
            "The answer is JSON that fits a schema",
        ),
        Plugin(
            "length",
            "evalsi_pack_general.length:Length",
            "The length of the answer, or whether it lies within bounds",
        ),
        Plugin(
            "token-f1",
            "evalsi_pack_general.token_f1:TokenF1",
            "How far the words of answer and reference agree (SQuAD's F1)",
        ),
        Plugin(
            "fuzzy-match",
            "evalsi_pack_general.fuzzy_match:FuzzyMatch",
            "How similar answer and reference are, letter by letter",
        ),
        Plugin(
            "diversity",
            "evalsi_pack_general.diversity:Diversity",
            "How much the completions of one prompt differ",
        ),
        Plugin(
            "calibration",
            "evalsi_pack_general.calibration:Calibration",
            "Whether stated confidence agrees with being right (Brier score)",
        ),
        Plugin(
            "contamination",
            "evalsi_pack_general.contamination:Contamination",
            "How much of a record stands in the training data",
        ),
        Plugin(
            "llm-judge",
            "evalsi_pack_general.llm_judge:LlmJudge",
            "A judge's grade by a rubric",
        ),
        Plugin(
            "pairwise-judge",
            "evalsi_pack_general.pairwise_judge:PairwiseJudge",
            "Which of the responses to one prompt a judge prefers, in both orders",
        ),
    ]
