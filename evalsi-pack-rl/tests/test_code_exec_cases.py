"""The shapes of test cases that public datasets use."""

from __future__ import annotations

from typing import Any

import pytest

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.cases import AssertCase, CallCase, PairCase, cases_of, chosen


@pytest.mark.parametrize(
    "metadata",
    [
        {"tests": [{"input": "1\n2", "output": "3"}]},
        {"tests": [{"stdin": "1\n2", "stdout": "3"}]},
        {"tests": [{"input": ["1", 2], "output": 3}]},
        {"tests": '[{"input": "1\\n2", "output": 3}]'},
        {"tests": [["1\n2", "3"]]},
        {"tests": ['{"input": "1\\n2", "output": "3"}']},
        {"tests": {"inputs": ["1\n2"], "outputs": ["3"]}},
        {"tests": '{"inputs": ["1\\n2"], "outputs": ["3"]}'},
        {"inputs": ["1\n2"], "outputs": ["3"]},
        {"inputs": '["1\\n2"]', "outputs": '["3"]'},
        {"input_output": '{"inputs": ["1\\n2"], "outputs": ["3"]}'},
        {"public_tests": {"input": ["1\n2"], "output": ["3"]}, "private_tests": None},
        {"generated_tests": {"input": ["1\n2"], "output": ["3"]}},
        {"public_test_cases": '[{"input": "1\\n2", "output": "3", "testtype": "stdin"}]'},
        {"tests": [{"type": "stdin_stdout", "input": "1\n2", "output": "3"}], "fn_name": "f"},
        {"tests": [{"input": "1\n2", "output": "3"}], "fn_name": "", "input_output": ""},
    ],
    ids=[
        "pairs",
        "stdin",
        "lines",
        "json",
        "lists",
        "texts",
        "object",
        "json-object",
        "columns",
        "json-columns",
        "apps",
        "codecontests",
        "codecontests-generated",
        "livecodebench",
        "typed",
        "no-function",
    ],
)
def test_pairs_come_in_many_shapes(metadata: dict[str, Any]) -> None:
    assert cases_of(metadata) == [PairCase(b"1\n2", b"3")]


def test_asserts_come_with_what_runs_before_the_program() -> None:
    metadata: dict[str, Any] = {
        "test_list": ["assert f()"],
        "test_imports": ["import a", "import b"],
        "test_setup_code": "c = 1",
    }

    assert cases_of(metadata) == [AssertCase("import a\nimport b\nc = 1", "assert f()")]


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"tests": 5}, "tests is int; it must be a list"),
        ({"tests": "[{"}, "tests is text that is not JSON: "),
        ({"tests": "[" * 100_000}, "tests is text that is not JSON: "),
        ({"tests": ["x"]}, "tests[0] is str; it must be a mapping of input and output"),
        ({"tests": [["x"]]}, "tests[0] is list; it must be a mapping of input and output"),
        ({"tests": ["{"]}, "tests[0] is text that is not JSON"),
        ({"tests": [{"output": "x"}]}, "tests[0].input is missing; give text, empty if it is"),
        ({"tests": [{"input": "x", "output": None}]}, "tests[0].output is missing"),
        ({"tests": [{"input": {}, "output": ""}]}, "tests[0].input is dict; it must be text"),
        ({"tests": [{"input": [[]], "output": ""}]}, "tests[0].input[0] is list; it must be"),
        ({"inputs": ["1"]}, "outputs is missing; give one list of each"),
        ({"inputs": ["1"], "outputs": []}, "inputs has 1 items and outputs has 0; give one"),
        ({"tests": {"inputs": 1, "outputs": []}}, "tests.inputs is int; it must be a list"),
        ({"test_list": [1]}, "test_list[0] is int; it must be Python text"),
        ({"inputs": ["1"], "outputs": ["2"], "fn_name": "a b"}, "fn_name is 'a b'; it must be"),
        ({"inputs": ["{"], "outputs": ["2"], "fn_name": "f"}, "inputs[0] must have one JSON value"),
        ({"inputs": ["1"], "outputs": ["x"], "fn_name": "f"}, "outputs[0] is text that is not JS"),
        ({"inputs": ["1"], "outputs": [None], "fn_name": "f"}, "outputs[0] is missing; give the"),
        ({"inputs": [5], "outputs": [5], "fn_name": "f"}, "inputs[0] is int; it must be a list of"),
        ({"tests": [{"input": [1]}], "fn_name": "f"}, "tests[0].output is missing; give the value"),
        (
            {"tests": {"inputs": [], "outputs": [], "fn_name": 5}},
            "tests.fn_name is int; it must be",
        ),
        ({"tests": [{"input": "", "output": "", "type": "x"}]}, "tests[0].type is 'x'; it must be"),
        (
            {"public_test_cases": [{"input": "1", "output": "1", "testtype": "functional"}]},
            "public_test_cases[0].testtype is 'functional' and no function is named",
        ),
        ({"public_test_cases": [], "metadata": "x"}, "metadata is text that is not JSON"),
        ({"public_test_cases": [], "metadata": [1]}, "metadata is list; it must be a mapping"),
        ({"public_tests": {"input": ["1"]}}, "public_tests.output is missing; give one list"),
        ({"test_list": ["assert f("]}, "test_list[0] is not Python: SyntaxError"),
        ({"test_list": [], "test_imports": 5, "test": "f()"}, "test_imports is int; it must be"),
        ({"test_list": "[]", "test_setup_code": 5}, "test_setup_code is int; it must be Python"),
        ({"test": 5}, "test is int; it must be Python text"),
        ({"test": "def check(candidate)"}, "test is not Python: SyntaxError"),
        ({"test": "\0"}, "test is not Python: "),
        ({"test": "check(f)", "entry_point": 5}, "entry_point is int; it must be the name of a"),
        ({"test": "check(f)", "entry_point": "f(1)"}, "entry_point is 'f(1)'; it must name a"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_cannot_be_read_is_named_with_its_field(
    metadata: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError) as refused:
        cases_of(metadata)

    assert str(refused.value).startswith(message)


def test_chosen_cases_are_the_same_for_one_seed_and_in_order() -> None:
    cases = [PairCase(str(n).encode(), b"") for n in range(50)]

    once = chosen(cases, 5, 1)

    assert once == chosen(list(cases), 5, 1)
    assert once == [case for case in cases if case in once]
    assert once != chosen(cases, 5, 2)


def test_codecontests_keeps_its_three_kinds_of_tests() -> None:
    metadata: dict[str, Any] = {
        field: {"input": [field], "output": [""]}
        for field in ("public_tests", "private_tests", "generated_tests")
    }

    assert cases_of(metadata) == [PairCase(field.encode(), b"") for field in metadata]


@pytest.mark.parametrize(
    "metadata",
    [
        {"inputs": [[[1, 2], 3]], "outputs": [4], "fn_name": "f"},
        {"inputs": ["[1, 2]\n3"], "outputs": ["4"], "fn_name": "f"},
        {"inputs": ["[1,\n2]\n\n3\n"], "outputs": ["4"], "fn_name": "f"},
        {"tests": {"inputs": [[[1, 2], 3]], "outputs": [4], "fn_name": "f"}},
        {"tests": [{"input": [[1, 2], 3], "output": 4}], "fn_name": "f"},
        {"tests": [{"type": "function_call", "fn_name": "f", "input": [[1, 2], 3], "output": 4}]},
        {"input_output": '{"inputs": [[[1, 2], 3]], "outputs": [4], "fn_name": "f"}'},
        {
            "public_test_cases": [{"input": "[1, 2]\n3", "output": "4", "testtype": "functional"}],
            "metadata": '{"func_name": "f"}',
        },
    ],
    ids=["columns", "text", "many-lines", "object", "pairs", "typed", "apps", "livecodebench"],
)
def test_calls_come_in_many_shapes(metadata: dict[str, Any]) -> None:
    assert cases_of(metadata) == [CallCase("f", [[1, 2], 3], 4)]


@pytest.mark.parametrize(
    ("outputs", "wrapped"),
    [([[1], [2]], True), ([[1], [2, 3]], False), ([[1], 2], False), (["[1]", "[2]"], False)],
    ids=["all", "longer", "bare", "text"],
)
def test_outputs_are_wrapped_where_all_of_them_are_lists_of_one(
    outputs: list[Any], wrapped: bool
) -> None:
    inputs = ["1", "2"] if isinstance(outputs[0], str) else [[1], [2]]
    metadata: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "fn_name": "f"}

    cases = cases_of(metadata)

    assert [case.wrapped for case in cases if isinstance(case, CallCase)] == [wrapped] * 2


def test_an_argument_whose_keys_are_all_integers_has_integer_keys() -> None:
    arguments: list[Any] = [{"1": "a", "-2": "b"}, {"01": "c"}]

    (case,) = cases_of({"inputs": [arguments], "outputs": [0], "fn_name": "f"})

    assert isinstance(case, CallCase)
    assert repr(case.arguments) == "[{1: 'a', -2: 'b'}, {'01': 'c'}]"


@pytest.mark.parametrize(
    ("entry", "called", "name"),
    [("f", "check(f)", "f"), ("Solution().f", "check(Solution().f)", "Solution")],
)
def test_a_check_is_called_with_its_entry_point(entry: str, called: str, name: str) -> None:
    test = "def check(candidate):\n    assert candidate(1) == 1"

    cases = cases_of({"test": test, "entry_point": entry})

    assert cases == [AssertCase("", f"{test}\n\n{called}\n", "script", name)]


def test_a_check_that_nothing_calls_is_an_error_of_the_data() -> None:
    with pytest.raises(DataError, match="never calls it; give `entry_point`"):
        cases_of({"test": "def check(candidate):\n    assert candidate(1) == 1"})


@pytest.mark.parametrize(
    "test",
    [
        "def check(candidate):\n    assert candidate(1) == 1\n\ncheck(f)",
        "def check(candidate):\n    assert candidate(1) == 1\n\nfor _ in range(2):\n    check(f)",
        "assert f(1) == 1",
        "def test_f():\n    assert f(1) == 1",
        "import unittest\n\nclass TestF(unittest.TestCase):\n    def test_f(self): f()",
    ],
    ids=["called", "called-in-a-loop", "asserts", "pytest", "unittest"],
)
def test_any_other_script_is_a_case_as_it_is(test: str) -> None:
    assert cases_of({"test": test, "entry_point": "f"}) == [AssertCase("", test, "script", "f")]


def test_a_script_gets_its_imports_and_setup_code_too() -> None:
    metadata: dict[str, Any] = {
        "test": "f()",
        "test_imports": "import a\nimport b",
        "test_setup_code": "c = 1",
    }

    assert cases_of(metadata) == [AssertCase("import a\nimport b\nc = 1", "f()", "script")]


@pytest.mark.parametrize("metadata", [{"test": ""}, {"entry_point": "f"}, {"test": None}])
def test_without_a_test_there_is_no_case(metadata: dict[str, Any]) -> None:
    assert cases_of(metadata) == []
