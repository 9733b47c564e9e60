"""Rows shaped like the public datasets, scored whole: a right program 1, a wrong one 0."""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from typing import Any

import pytest

from evalsi.core.evaluator import Tools
from evalsi.core.records import record_of
from evalsi.core.results import Score
from evalsi_pack_rl.code_exec import CodeExecTests, CodeExecTestsParams

ADD = "a, b = map(int, input().split())\nprint(a + b)"
SUBTRACT = "a, b = map(int, input().split())\nprint(a - b)"
METHOD = "class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a {} b\n"
FUNCTION = "def add(a, b):\n    return a {} b\n"
PROMPT = 'def add(a: int, b: int) -> int:\n    """ Adds.\n    >>> add(1, 2)\n    3\n    """\n'
UNITTEST = (
    "import unittest\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n"
    "        self.assertEqual(add(2, 3), 5)\n\nif __name__ == '__main__':\n    unittest.main()\n"
)
PYTEST = (
    "import pytest\n\n@pytest.mark.parametrize('a, b, c', [(2, 3, 5), (0, 1, 1)])\n"
    "def test_add(a, b, c):\n    assert add(a, b) == c\n"
)


def packed(tests: list[dict[str, str]]) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests)))).decode()


ROWS: dict[str, tuple[dict[str, Any], str, str]] = {
    "apps": (
        {
            "problem_id": 7,
            "question": "Add two numbers.",
            "input_output": json.dumps({"inputs": ["2 3\n", "0 1\n"], "outputs": ["5\n", "1\n"]}),
            "starter_code": "",
        },
        ADD,
        SUBTRACT,
    ),
    "apps-lists": (
        {"inputs": [["2 3"], ["0 1"]], "outputs": [["5"], ["1"]], "fn_name": None},
        ADD,
        SUBTRACT,
    ),
    "apps-call": (
        {
            "input_output": json.dumps(
                {"fn_name": "add", "inputs": [[2, 3], [0, 1]], "outputs": [[5], [1]]}
            ),
            "starter_code": "def add(a, b):\n",
        },
        FUNCTION.format("+"),
        FUNCTION.format("-"),
    ),
    "codecontests": (
        {
            "public_tests": {"input": ["2 3\n"], "output": ["5\n"]},
            "private_tests": {"input": [], "output": []},
            "generated_tests": {"input": ["0 1\n", "4 4\n"], "output": ["1\n", "8\n"]},
            "time_limit": {"seconds": 2, "nanos": 0},
        },
        ADD,
        SUBTRACT,
    ),
    "livecodebench": (
        {
            "public_test_cases": json.dumps(
                [{"input": "2 3\n", "output": "5\n", "testtype": "stdin"}]
            ),
            "private_test_cases": packed(
                [{"input": "0 1\n", "output": "1\n", "testtype": "stdin"}]
            ),
            "metadata": "{}",
        },
        ADD,
        SUBTRACT,
    ),
    "livecodebench-call": (
        {
            "public_test_cases": json.dumps(
                [{"input": "2\n3", "output": "5", "testtype": "functional"}]
            ),
            "private_test_cases": packed(
                [{"input": "0\n1", "output": "1", "testtype": "functional"}]
            ),
            "metadata": json.dumps({"func_name": "add"}),
        },
        METHOD.format("+"),
        METHOD.format("-"),
    ),
    "mbpp": (
        {
            "task_id": 2,
            "text": "Write a function to add two numbers.",
            "test_setup_code": "",
            "test_list": ["assert add(2, 3) == 5", "assert add(0, 1) == 1"],
            "challenge_test_list": [],
        },
        FUNCTION.format("+"),
        FUNCTION.format("-"),
    ),
    "mbpp-sanitized": (
        {
            "test_imports": ["import math"],
            "test_list": ["assert math.isclose(add(2, 3), 5)"],
        },
        FUNCTION.format("+"),
        FUNCTION.format("-"),
    ),
    "humaneval": (
        {
            "task_id": "HumanEval/53",
            "prompt": PROMPT,
            "test": "\n\nMETADATA = {}\n\ndef check(candidate):\n    assert candidate(0, 1) == 1\n",
            "entry_point": "add",
        },
        "    return a + b\n",
        "    return a - b\n",
    ),
    "leetcode": (
        {
            "prompt": "from typing import *\nimport math\n",
            "test": "def check(candidate):\n    assert candidate(a=2, b=3) == 5\n",
            "entry_point": "Solution().add",
        },
        METHOD.format("+"),
        METHOD.format("-"),
    ),
    "unittest": ({"test": UNITTEST}, FUNCTION.format("+"), FUNCTION.format("-")),
    "pytest": ({"test": PYTEST}, FUNCTION.format("+"), FUNCTION.format("-")),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_a_public_dataset_is_scored(name: str, bare_tools: Tools) -> None:
    row, right, wrong = ROWS[name]
    evaluator = CodeExecTests(CodeExecTestsParams(), bare_tools)

    answers = [evaluator.score(record_of({**row, "completion": c}, 1)) for c in (right, wrong)]

    assert [answer.value for answer in answers if isinstance(answer, Score)] == [1.0, 0.0]
