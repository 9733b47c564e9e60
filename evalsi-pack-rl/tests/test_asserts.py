"""Asserts on a program: one interpreter tests, another one holds the program."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from evalsi.core.engine import tools_for
from evalsi.core.errors import DataError, SandboxUnavailable
from evalsi.core.evaluator import Need
from evalsi.core.sandbox import Loaded, Outcome, Program, PythonFork
from evalsi_pack_rl.code_exec.asserts import AssertRunner
from evalsi_pack_rl.code_exec.cases import AssertCase
from evalsi_pack_rl.code_exec.params import CodeExecTestsParams
from evalsi_pack_rl.code_exec.verdict import CaseResult

NO_GUEST = "raise ImportError('no guest')"
Run = Callable[..., list[CaseResult]]


@pytest.fixture(scope="module")
def fork() -> PythonFork:
    sandbox = tools_for({Need.SANDBOX}, "namespaced").sandbox
    assert sandbox is not None
    try:
        return sandbox.python()
    except SandboxUnavailable as error:
        if "CI" in os.environ:
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def run(fork: PythonFork) -> Run:
    def results(program: str, *tests: str, prelude: str = "", **params: Any) -> list[CaseResult]:
        style = params.pop("style", "statements")
        cases = [AssertCase(prelude, test, style) for test in tests]
        return list(AssertRunner(fork, CodeExecTestsParams(**params)).results(program, cases))

    return results


def note(result: CaseResult) -> str:
    return result.outcome.stderr.decode()


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        ("def f(): return 5", "passed"),
        ("def f(): return 6", "wrong_answer"),
        ("def f(): return 1 // 0", "runtime_error"),
        ("1 // 0", "runtime_error"),
        ("def f() return 5", "compile_error"),
        ("def g(): return 5", "runtime_error"),
        ("import sys; sys.exit(0)", "runtime_error"),
        ("def f(): raise MemoryError", "memory"),
        ("def f():\n    while True: pass", "timeout"),
        ("import time\ndef f(): time.sleep(60)", "timeout"),
        ("def f(): print('5' * 10_000_000)", "output_limit"),
        ("import os\ndef f(): os.abort()", "runtime_error"),
    ],
    ids=[
        "right", "wrong", "raises", "raises-at-import", "syntax", "missing", "exits", "memory",
        "loops", "sleeps", "floods", "aborts",
    ],
)  # fmt: skip
def test_a_case_has_a_verdict(run: Run, program: str, verdict: str) -> None:
    (result,) = run(program, "assert f() == 5", timeout_s=1)

    assert result.verdict == verdict
    assert result.integrity == "strong"


def test_a_failure_shows_what_the_program_raised(run: Run) -> None:
    (result,) = run("def f():\n    raise ValueError('no such thing')", "assert f() == 5")

    assert "ValueError: no such thing" in note(result)
    assert "/box/program.py" in note(result)


def test_cases_of_one_program_share_nothing(run: Run) -> None:
    program = "n = 0\ndef f():\n    global n\n    n += 1\n    return n"

    assert [r.verdict for r in run(program, *["assert f() == 1"] * 3)] == ["passed"] * 3


def test_nothing_runs_before_it_is_asked_for(fork: PythonFork) -> None:
    cases = [AssertCase("", "assert f()")] * 1000

    results = AssertRunner(fork, CodeExecTestsParams()).results("def f(): return 1", cases)

    assert next(results).passed
    results.close()


def test_a_program_that_does_not_leave_delays_nobody(run: Run) -> None:
    program = (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
        "import os\nos._exit = None\ndef f(): return 5"
    )
    begun = time.monotonic()

    results = run(program, "assert f() == 5", "assert f() == 5", timeout_s=30)

    assert [result.verdict for result in results] == ["passed"] * 2
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("program", "test"),
    [
        ("class B: pass", "class C(B): pass\nassert C()"),
        ("def f(x): return x", "import inspect\nassert inspect.signature(f)"),
        ("def f(x): return x", "import threading\nassert f(threading.Lock())"),
    ],
    ids=["subclass", "inspect", "lock"],
)
def test_a_test_that_cannot_run_apart_is_an_error_of_the_data(
    run: Run, program: str, test: str
) -> None:
    with pytest.raises(DataError, match="integrity: allow-weak"):
        run(program, test)


def test_a_test_that_cannot_run_apart_may_be_allowed_as_weak_evidence(run: Run) -> None:
    program = "class B:\n    def f(self): return 5"
    tests = ("class C(B): pass\nassert C().f() == 5", "assert B().f() == 5", "assert B().f() == 6")

    results = run(program, *tests, integrity="allow-weak")

    assert [result.verdict for result in results] == ["passed", "passed", "wrong_answer"]
    assert [result.integrity for result in results] == ["weak", "strong", "strong"]
    assert "C derives from B" in results[0].note


def test_the_program_has_no_say_in_the_mode(run: Run) -> None:
    (result,) = run("import inspect, gc, ctypes\ndef f(): return 5", "assert f() == 5")

    assert result.integrity == "strong"


def test_a_test_that_imports_what_the_jail_lacks_is_an_error_of_the_data(run: Run) -> None:
    with pytest.raises(DataError, match="imports tensorflow, which the sandbox's Python"):
        run("def f(): return 5", "import tensorflow\nassert f() == 5")


def test_the_prelude_serves_program_and_test(run: Run) -> None:
    results = run(
        "def area(r): return math.pi * r * SCALE",
        "assert math.isclose(area(1), 2 * math.pi)",
        prelude="import math\nSCALE = 2",
    )

    assert [result.verdict for result in results] == ["passed"]


def test_an_expected_value_of_the_prelude_stays_with_the_test(run: Run) -> None:
    program = "def f():\n    return globals().get('WANT')"

    (result,) = run(program, "assert f() == WANT", prelude="WANT = 12")

    assert result.verdict == "wrong_answer"


def test_setup_runs_before_the_program(run: Run) -> None:
    (result,) = run(
        "def f(): return double(2)", "assert f() == 4", setup="double = lambda n: 2 * n"
    )

    assert result.verdict == "passed"


def test_a_script_runs_its_test_functions(run: Run) -> None:
    test = "def test_a():\n    assert f() == 5\ndef test_b():\n    assert f() == 6\n"

    (result,) = run("def f(): return 5", test, style="script")

    assert result.verdict == "wrong_answer"


class Broken:
    """A fork whose guest of one kind fails before it begins: with any program, or with some."""

    def __init__(
        self, fork: PythonFork, which: str, fails: str = NO_GUEST, with_text: bytes = b""
    ) -> None:
        self._fork = fork
        self._which = which
        self._fails = fails
        self._with_text = with_text
        self.rung = fork.rung

    def load(self, program: Program) -> Loaded:
        if self._which in program.source and self._with_text in program.jail.files["program.py"]:
            program = replace(program, source=self._fails)
        return self._fork.load(program)


@pytest.mark.parametrize("which", ["tester", "candidate"])
def test_a_guest_that_does_not_start_is_an_outage_and_no_score(
    fork: PythonFork, which: str
) -> None:
    runner = AssertRunner(Broken(fork, f"guest.{which}"), CodeExecTestsParams())

    with pytest.raises(SandboxUnavailable, match="ImportError: no guest"):
        list(runner.results("def f(): return 5", [AssertCase("", "assert f() == 5")]))


def test_a_text_that_kills_python_before_it_begins_is_a_runtime_error(fork: PythonFork) -> None:
    broken = Broken(fork, "guest.candidate", "import os\nos.abort()", b"def f")
    runner = AssertRunner(broken, CodeExecTestsParams())

    (result,) = runner.results("def f(): return 5", [AssertCase("", "assert f() == 5")])

    assert result.verdict == "runtime_error"


def test_a_python_that_dies_with_any_text_is_an_outage(fork: PythonFork) -> None:
    broken = Broken(fork, "guest.candidate", "import os\nos.abort()")
    runner = AssertRunner(broken, CodeExecTestsParams())

    with pytest.raises(SandboxUnavailable, match="does not run our guest"):
        list(runner.results("def f(): return 5", [AssertCase("", "assert f() == 5")]))


def counted(fork: PythonFork, program: str, *tests: str, **params: Any) -> tuple[list[str], int]:
    """The verdicts, and how many cases of a tester they took."""
    counting = Counting(fork)
    runner = AssertRunner(counting, CodeExecTestsParams(**params))
    results = list(runner.results(program, [AssertCase("", test) for test in tests]))
    return [result.verdict for result in results], counting.cases


class Counting:
    """A fork that counts the cases of testers."""

    def __init__(self, fork: PythonFork) -> None:
        self._fork = fork
        self.rung = fork.rung
        self.cases = 0

    def load(self, program: Program) -> Loaded:
        loaded = self._fork.load(program)
        if "guest.tester" not in program.source:
            return loaded
        case = loaded.case

        def counted_case(*args: Any, **kwargs: Any) -> Outcome:
            self.cases += 1
            return case(*args, **kwargs)

        loaded.case = counted_case  # type: ignore[method-assign]
        return loaded


def test_a_list_of_asserts_that_pass_takes_one_pair(fork: PythonFork) -> None:
    tests = [f"assert f({n}) == {n * 2}" for n in range(5)]

    assert counted(fork, "def f(n): return n * 2", *tests) == (["passed"] * 5, 1)


@pytest.mark.parametrize(
    ("program", "verdicts"),
    [
        ("def f(n): return n * 2 if n != 1 else 0", ["passed", "wrong_answer", "passed"]),
        (
            "import os\ndef f(n): return n * 2 if n != 1 else os._exit(0)",
            ["passed", "runtime_error", "passed"],
        ),
        (
            "def f(n):\n    while n == 1: pass\n    return n * 2",
            ["passed", "timeout", "passed"],
        ),
        ("seen = []\ndef f(n):\n    seen.append(n)\n    return n * 2 * len(seen)", ["passed"] * 3),
        ("def f(n): return [][n]", ["runtime_error"] * 3),
    ],
    ids=["wrong", "exits", "loops", "remembers", "raises"],
)
def test_a_case_of_a_series_that_does_not_pass_is_judged_alone(
    fork: PythonFork, program: str, verdicts: list[str]
) -> None:
    tests = [f"assert f({n}) == {n * 2}" for n in range(3)]

    given, _ = counted(fork, program, *tests, timeout_s=1)

    assert given == verdicts


def test_what_changes_its_surroundings_is_no_part_of_a_series(fork: PythonFork) -> None:
    patching = "import builtins\nbuiltins.input = lambda: '7'\nassert f() == 7"
    verdicts, cases = counted(fork, "def f(): return int(input())", patching, patching)

    assert (verdicts, cases) == (["passed", "passed"], 2)
