"""Our own verifiers keep every promise that strangers' must keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evalsi.core.testing import Check, EvaluatorTrial, evaluator_checks

if TYPE_CHECKING:
    from evalsi.core.evaluator import Tools

LAYOUT = "<think>a</think><answer>b</answer>"
TESTS = [{"input": "2", "output": "4"}]
TRIALS: dict[str, tuple[str, dict[str, Any], list[dict[str, Any]]]] = {
    "format-check": ("format-check", {}, [{"completion": LAYOUT}, {"completion": "b"}]),
    "format-check-tags": ("format-check", {"pattern": None, "tags": ["a"]}, [{"completion": ""}]),
    "format-check-worker": (
        "format-check",
        {"pattern": r"(a)\1", "deadline_s": 5},
        [{"completion": "aa"}],
    ),
    "overlong-penalty": (
        "overlong-penalty",
        {"max_length": 100, "buffer": 20},
        [{"completion": "", "completion_tokens": 90}, {"completion": ""}],
    ),
    "overlong-penalty-words": (
        "overlong-penalty",
        {"max_length": 4, "buffer": 2, "unit": "words"},
        [{"completion": "a b c"}],
    ),
    "math-equiv": (
        "math-equiv",
        {},
        [{"completion": "#### 5", "reference": "5"}, {"completion": "5"}],
    ),
    "code-exec-tests": (
        "code-exec-tests",
        {"timeout_s": 2},
        [
            {"completion": "print(int(input()) * 2)", "tests": TESTS},
            {"completion": "def f(): return 1", "test_list": ["assert f() == 1"]},
            {"completion": "def f(): return 1", "inputs": [[]], "outputs": [1], "fn_name": "f"},
            {
                "prompt": "def f():\n",
                "completion": "    return 1",
                "test": "def check(g): assert g() == 1",
                "entry_point": "f",
            },
            {"completion": ""},
        ],
    ),
}


@pytest.mark.parametrize("check", evaluator_checks(), ids=lambda check: check.name)
@pytest.mark.parametrize("trial", TRIALS)
def test_a_verifier_of_this_pack_keeps_its_promises(
    trial: str, check: Check[EvaluatorTrial], bare_tools: Tools
) -> None:
    name, params, examples = TRIALS[trial]

    tools = bare_tools if name == "code-exec-tests" else None  # None: what the engine gives
    check.run(EvaluatorTrial.of(name, params, examples, tools=tools))
