"""Cases that call a function: told the arguments only, judged by the value that comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from evalsi.core.errors import SandboxUnavailable
from evalsi.core.evaluator import Tools
from evalsi.core.records import Record
from evalsi.core.results import Score
from evalsi.core.sandbox import Limits, Outcome, Program
from evalsi_pack_rl.code_exec import CodeExecTests, CodeExecTestsParams

if TYPE_CHECKING:
    import socket

ADD: dict[str, Any] = {"inputs": [[2, 3], [-1, 3]], "outputs": [5, 2], "fn_name": "add"}
FIVE: dict[str, Any] = {"inputs": [[2, 3]], "outputs": [5], "fn_name": "add"}


@pytest.fixture
def score(bare_tools: Tools) -> Any:
    def scored(completion: str, metadata: dict[str, Any], **params: object) -> Score:
        settings = CodeExecTestsParams.model_validate(params)
        record = Record(id="1", output=completion, metadata=metadata)
        answer = CodeExecTests(settings, bare_tools).score(record)
        assert isinstance(answer, Score)
        return answer

    return scored


def first(score: Score) -> dict[str, Any]:
    assert isinstance(score.evidence, dict)
    result = score.evidence["results"][0]
    assert isinstance(result, dict)
    return result


@pytest.mark.parametrize(
    "program",
    [
        "def add(a, b):\n    return a + b",
        "class Solution:\n    def add(self, a: int, b) -> Optional[int]:\n        return a + b",
        "add = lambda a, b: a + b",
        "import operator\nadd = operator.add",
        "from __future__ import annotations\ndef add(a, b): return a + b",
        "class Solution:\n    @staticmethod\n    def add(a, b): return a + b",
        "class Solution:\n    pass\ndef add(a, b): return a + b",
        "def add(a, b): return reduce(lambda x, y: x + y, deque([a, b]))",
        "def add(a, b):\n    print('to stdout', flush=True)\n    return a + b",
        "def add(a, b): return a + b\nif __name__ == '__main__':\n    print(add(*input().split()))",
        (
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n"
            "def add(a, b): return P(a).x + b"
        ),
        (
            "def add(a, b):\n    return a + b if a == 0 else add(a - (a > 0) + (a < 0), b + "
            "(1 if a > 0 else -1))"
        ),
    ],
    ids=[
        "function",
        "solution",
        "lambda",
        "builtin",
        "future",
        "static",
        "both",
        "lent",
        "prints",
        "main",
        "dataclass",
        "recursive",
    ],
)
def test_a_function_or_a_method_of_solution_is_called(score: Any, program: str) -> None:
    assert score(program, ADD).value == 1.0


def test_each_call_is_a_case(score: Any) -> None:
    assert score("def add(a, b): return 5", ADD).value == 0.5


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        ("def add(a, b): return a - b", "wrong_answer"),
        ("def add(a, b): print(a + b)", "wrong_answer"),
        ("def add(a, b): return a / 0", "runtime_error"),
        ("def add(a): return a", "runtime_error"),
        ("def sub(a, b): return a + b", "runtime_error"),
        ("add = 5", "runtime_error"),
        ("def add(a, b): return a +", "compile_error"),
        ("def add(a, b): return a + b\nimport atexit, os\natexit.register(os._exit, 3)", "runtime"),
        ("def add(a, b):\n    while True: pass", "timeout"),
        ("def add(a, b): raise MemoryError", "memory"),
        ("def add(a, b): return 'x' * 9_000_000", "output_limit"),
        ("def add(a, b):\n    print('x' * 9_000_000)\n    return 5", "output_limit"),
        ("def add(a, b): exit()", "wrong_answer"),
        ("import os\ndef add(a, b): os._exit(0)", "wrong_answer"),
        ("def add(a, b):\n    x = []\n    x.append(x)\n    return x", "runtime_error"),
        ("import itertools\ndef add(a, b): return itertools.count()", "runtime_error"),
    ],
    ids=lambda value: value[-24:],
)
def test_a_call_has_a_verdict(score: Any, program: str, verdict: str) -> None:
    given = score(program, FIVE, timeout_s=2)

    assert first(given)["verdict"].startswith(verdict)
    assert given.value == 0.0


@pytest.mark.parametrize(
    "program",
    [
        "class E:\n    def __eq__(self, other): return True\ndef add(a, b): return E()",
        "import os\nos.write(3, b'5')\ndef add(a, b): return 5",
        "import os\nos.write(3, b'[5')\nos._exit(0)",
        "import os, sys\ndef add(a, b):\n    sys.modules['json'].dumps = lambda v: '{\"?\": 5}'",
        "def add(a, b): return True",
        "def add(a, b): return '5'",
        "def add(a, b): return [5]",
        "def add(a, b): return {5}",
        (
            "import gc\ndef add(a, b):\n    return next((o for o in gc.get_objects() "
            "if isinstance(o, dict) and 'outputs' in o), 0)"
        ),
        (
            "import sys\ndef add(a, b):\n    f = sys._getframe()\n    while f:\n"
            "        if 'want' in f.f_locals: return f.f_locals['want']\n        f = f.f_back"
        ),
        "def add(a, b): return open(0).read()",
    ],
    ids=["equal", "twice", "half", "json", "bool", "text", "list", "set", "gc", "frames", "stdin"],
)
def test_an_answer_is_only_an_answer(score: Any, program: str) -> None:
    assert score(program, FIVE).value == 0.0


def test_a_right_answer_written_by_hand_is_a_right_answer(score: Any) -> None:
    program = "import os\ndef add(a, b):\n    os.write(3, str(a + b).encode())\n    os._exit(0)"

    assert score(program, ADD).value == 1.0


def test_a_value_larger_than_a_pipe_comes_through(score: Any) -> None:
    metadata = {"inputs": [[300_000]], "outputs": [list(range(300_000))], "fn_name": "f"}

    assert score("def f(n): return range(n)", metadata).value == 1.0


def test_text_has_one_argument_a_line(score: Any) -> None:
    metadata = {"inputs": ['[1, 2]\n"x"'], "outputs": ['["x", "x"]'], "fn_name": "f"}

    assert score("def f(a, b): return [b] * len(a)", metadata).value == 1.0


@pytest.mark.parametrize("program", ["def f(n): return n * 2", "def f(n): return [n * 2]"])
def test_a_wrapped_output_may_be_returned_bare(score: Any, program: str) -> None:
    metadata = {"inputs": [[3], [4]], "outputs": [[6], [8]], "fn_name": "f"}

    assert score(program, metadata).value == 1.0


def test_a_call_that_changes_its_arguments_changes_its_own(score: Any) -> None:
    metadata = {"inputs": [[[3, 1]], [[3, 1]]], "outputs": [[1, 3], [1, 3]], "fn_name": "f"}

    assert score("def f(a):\n    a.sort()\n    return a", metadata).value == 1.0


def test_integer_keys_of_an_argument_are_integers(score: Any) -> None:
    metadata = {"inputs": [[{"1": 2}]], "outputs": [{"1": 2}], "fn_name": "f"}

    assert score("def f(d): return {k + 0: v for k, v in d.items()}", metadata).value == 1.0


def test_a_tolerance_holds_for_returned_floats(score: Any) -> None:
    metadata = {"inputs": [[]], "outputs": [0.3], "fn_name": "f"}

    assert score("def f(): return 0.1 + 0.2", metadata).value == 0.0
    assert score("def f(): return 0.1 + 0.2", metadata, float_tolerance=1e-9).value == 1.0


def test_setup_runs_before_the_program(score: Any) -> None:
    setup = "def plus(a, b):\n    return a + b"

    assert score("def add(a, b): return plus(a, b)", ADD, setup=setup).value == 1.0


def test_the_evidence_shows_the_value_and_what_was_expected(score: Any) -> None:
    result = first(score("def add(a, b):\n    print('hm')\n    return [a]", FIVE))

    assert result["expected"] == "5"
    assert result["got"] == "[2]"


def test_a_program_shares_nothing_with_its_next_call(score: Any) -> None:
    program = (
        "seen = []\ndef add(a, b):\n    seen.append(a)\n    return a + b if seen == [a] else 0"
    )

    assert score(program, ADD).value == 1.0


def test_what_is_lent_to_a_program_is_not_its_function(score: Any) -> None:
    metadata = {"inputs": [[4, 6]], "outputs": [2], "fn_name": "gcd"}

    assert first(score("x = gcd(4, 6)", metadata))["verdict"] == "runtime_error"
    assert score("from math import gcd", metadata).value == 1.0


class BrokenFork:
    """A sandbox whose Python cannot run the guest."""

    rung = "broken"
    enforced: ClassVar[dict[str, str]] = {}

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def python(self) -> BrokenFork:
        return self

    def remaining_s(self) -> float | None:
        return None

    def load(self, program: Program) -> BrokenFork:
        return self

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        return self._outcome

    def kill(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_python_that_cannot_run_the_guest_is_an_error_and_never_a_score() -> None:
    broken = BrokenFork(Outcome("exited", 1, stderr=b"ImportError: no json\n"))
    record = Record(id="1", output="def add(a, b): return a + b", metadata=FIVE)

    with pytest.raises(SandboxUnavailable, match="does not run our guest: ImportError: no json"):
        CodeExecTests(CodeExecTestsParams(), Tools(sandbox=broken)).score(record)


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (Outcome("exited", 1, stderr=b"MemoryError\n"), "memory"),
        (Outcome("signalled", 11), "runtime_error"),
        (Outcome("wall", 9), "timeout"),
    ],
    ids=["memory", "signal", "wall"],
)
def test_a_text_that_breaks_the_compiler_has_a_verdict(outcome: Outcome, verdict: str) -> None:
    record = Record(id="1", output="(" * 1000, metadata=FIVE)

    given = CodeExecTests(CodeExecTestsParams(), Tools(sandbox=BrokenFork(outcome))).score(record)

    assert isinstance(given, Score)
    assert first(given)["verdict"] == verdict
