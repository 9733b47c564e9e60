"""Our own evaluators keep every promise that strangers' must keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evalsi.core.evaluator import Tools
from evalsi.core.testing import Check, EvaluatorTrial, ScriptedJudge, evaluator_checks

TRAINING = str(Path(__file__).parent / "vectors" / "training.jsonl")

PARIS = [{"completion": "Paris", "reference": "paris"}, {"completion": "Rome", "reference": ["a"]}]
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string", "pattern": "^[a-z]+$"}},
    "patternProperties": {"^x": {"anyOf": [{"type": "array", "uniqueItems": True}, {"$ref": "#"}]}},
    "additionalProperties": {"$ref": "#"},
}
TRIALS: dict[str, tuple[str, dict[str, Any], list[dict[str, Any]]]] = {
    "exact-match": ("exact-match", {}, PARIS),
    "exact-match-all": (
        "exact-match",
        {"drop_articles": True, "drop_punctuation": True, "thinking": "keep"},
        PARIS,
    ),
    "contains": ("contains", {"mode": "all", "values": ["a", "A.b"]}, PARIS),
    "contains-words": ("contains", {"whole_words": True}, PARIS),
    "regex-match": ("regex-match", {"pattern": r"(a|a)*b|(\w+\s?)+$"}, PARIS),
    "regex-match-python": (
        "regex-match",
        {"pattern": r"(?=x)(x+)+y|Paris", "engine": "python"},
        PARIS,
    ),
    "json-valid": ("json-valid", {}, [{"completion": "[1]"}, {"completion": "[1"}]),
    "json-schema": ("json-schema", {"schema": SCHEMA}, [{"completion": '{"a": "b"}'}]),
    "length": ("length", {}, PARIS),
    "length-lines": ("length", {"unit": "lines", "min": 1, "max": 2}, PARIS),
    "length-tokens": (
        "length",
        {"unit": "tokens", "max": 3},
        [{"completion": "", "completion_tokens": 4}],
    ),
    "token-f1": ("token-f1", {}, PARIS),
    "fuzzy-match": ("fuzzy-match", {}, PARIS),
    "diversity": (
        "diversity",
        {},
        [{"completion": "a b c d"}, {"completion": "a b c e"}, {"completion": ""}],
    ),
    "diversity-answers": (
        "diversity",
        {"answer_from": "math-equiv", "answer_field": "answer"},
        [
            {"completion": "a", "@math-equiv": {"value": 1, "evidence": {"answer": "1"}}},
            {"completion": "b", "@math-equiv": {"value": 1, "evidence": {"answer": "2"}}},
        ],
    ),
    "calibration": ("calibration", {}, [{"completion": "Confidence: 80%", "correct": True}]),
    "calibration-from": (
        "calibration",
        {"correct_from": "exact-match", "confidence_field": "sure"},
        [{"completion": "", "sure": 0.5, "@exact-match": {"value": 1.0}}],
    ),
    "contamination": (
        "contamination",
        {"path": TRAINING, "n": 3, "against": ["input", "output"]},
        [{"prompt": "Natalia sold clips to her friends", "completion": "72"}],
    ),
    "llm-judge": ("llm-judge", {"rubric": "correctness"}, PARIS),
    "llm-judge-own": ("llm-judge", {"criterion": "It rhymes.", "threshold": 0.5}, PARIS),
    "pairwise-judge": ("pairwise-judge", {"rubric": "helpfulness"}, PARIS),
    "pairwise-judge-reference": (
        "pairwise-judge",
        {"criterion": "It rhymes.", "against": "reference"},
        PARIS,
    ),
    "fuzzy-match-anywhere": ("fuzzy-match", {"where": "anywhere", "threshold": 0.8}, PARIS),
}


def judge() -> ScriptedJudge:
    return ScriptedJudge(
        lambda question: (
            {"reasons": "so", "grade": 4}
            if "grade" in question.answer.model_fields
            else {"reasons": "so", "better": "first"}
        )
    )


@pytest.mark.parametrize("check", evaluator_checks(), ids=lambda check: check.name)
@pytest.mark.parametrize("trial", TRIALS)
def test_an_evaluator_of_this_pack_keeps_its_promises(
    trial: str, check: Check[EvaluatorTrial]
) -> None:
    name, params, examples = TRIALS[trial]

    tools = Tools(judge=judge()) if "judge" in name else None
    check.run(EvaluatorTrial.of(f"general:{name}", params, examples, tools=tools))
