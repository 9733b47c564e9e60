"""code-exec-tests: the fraction of cases that a program passes, judged from outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from pydantic import ValidationError

from evalsi.core.errors import DataError, SandboxUnavailable
from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.evidence import bounded_evidence
from evalsi.core.records import Record
from evalsi.core.results import Score, Skipped
from evalsi.core.sandbox import Limits, Loaded, Outcome, Program
from evalsi_pack_rl.code_exec import CodeExecTests, CodeExecTestsParams
from evalsi_pack_rl.code_exec.verdict import CaseResult, verdict
from evalsi_pack_rl.code_exec.verdict_report import evidence

if TYPE_CHECKING:
    import socket

    from conftest import BareFork

DOUBLE = "print(int(input()) * 2)"
ADD = "def add(a, b):\n    return a + b\n"
TESTS = [{"input": "2", "output": "4"}, {"input": "7", "output": "14"}]

Run = Callable[..., Answer]


@pytest.fixture
def run(bare_tools: Tools) -> Run:
    def answer(completion: str, metadata: dict[str, Any], **params: object) -> Answer:
        settings = CodeExecTestsParams.model_validate(params)
        record = Record(id="1", output=completion, metadata=metadata)
        return CodeExecTests(settings, bare_tools).score(record)

    return answer


@pytest.fixture
def score(run: Run) -> Callable[..., Score]:
    def scored(completion: str, metadata: dict[str, Any], **params: object) -> Score:
        answer = run(completion, metadata, **params)
        assert isinstance(answer, Score)
        return answer

    return scored


def verdicts(score: Score) -> list[str]:
    assert isinstance(score.evidence, dict)
    return [result["verdict"] for result in score.evidence["results"]]


def test_it_asks_for_a_sandbox_and_is_bounded_by_it() -> None:
    assert CodeExecTests.needs == {Need.SANDBOX}
    assert CodeExecTests.bounded


def test_the_score_is_the_fraction_of_cases_passed(score: Callable[..., Score]) -> None:
    given = score("print(int(input()) + 2)", {"tests": TESTS})

    assert given.value == 0.5
    assert given.reason == "1 of 2 cases passed; case 2: wrong_answer"


def test_all_or_nothing_gives_1_or_0(score: Callable[..., Score]) -> None:
    assert score(DOUBLE, {"tests": TESTS}, all_or_nothing=True).value == 1.0
    assert score("print(int(input()) + 2)", {"tests": TESTS}, all_or_nothing=True).value == 0.0


def test_all_or_nothing_stops_at_the_first_failure(score: Callable[..., Score]) -> None:
    given = score("print(0)", {"tests": TESTS}, all_or_nothing=True)

    assert given.reason == "0 of 2 cases passed; case 1: wrong_answer; stopped after 1"


@pytest.mark.parametrize("metadata", [{}, {"tests": []}, {"tests": None}, {"test_list": "[]"}])
def test_a_rollout_without_cases_is_skipped(run: Run, metadata: dict[str, Any]) -> None:
    assert run(DOUBLE, metadata) == Skipped("the rollout has no test cases")


def test_a_completion_cut_off_while_thinking_scores_0(score: Callable[..., Score]) -> None:
    given = score(f"<think>\n```python\n{DOUBLE}\n```", {"tests": TESTS})

    assert given.value == 0.0


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("print(5)", "passed"),
        ("print(6)", "wrong_answer"),
        ("print(5); raise SystemExit(1)", "runtime_error"),
        ("print(1 / 0)", "runtime_error"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "runtime_error"),
        ("print(5", "compile_error"),
        ("if 1:\nprint(5)", "compile_error"),
        ("exec('5 5')", "runtime_error"),
        ("raise MemoryError", "memory"),
        ("while True: pass", "timeout"),
        ("print('5' * 10_000_000)", "output_limit"),
        ("print(5)\x00", "compile_error"),
        ("x = '\ud800'; print(5)", "runtime_error"),
        ("print(5)  # \u202egnitset", "passed"),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_a_case_has_a_verdict(score: Callable[..., Score], program: str, expected: str) -> None:
    given = score(program, {"tests": [{"input": "", "output": "5"}]}, timeout_s=1)

    assert verdicts(given) == [expected]
    assert given.value == float(expected == "passed")


def test_a_program_that_only_waits_runs_into_the_wall_and_is_not_stable(
    score: Callable[..., Score],
) -> None:
    given = score("import time; time.sleep(9)", {"tests": TESTS[:1]}, timeout_s=0.1)

    assert verdicts(given) == ["timeout"]
    assert not given.stable


def test_a_program_out_of_cpu_time_is_stable(score: Callable[..., Score]) -> None:
    assert score("while True: pass", {"tests": TESTS[:1]}, timeout_s=1).stable


def test_ten_megabytes_of_completion_are_scored(score: Callable[..., Score]) -> None:
    assert score("#" * 10_000_000 + f"\n{DOUBLE}", {"tests": TESTS}).value == 1.0


def test_a_case_killed_from_outside_is_an_error_and_no_verdict() -> None:
    with pytest.raises(SandboxUnavailable, match="killed from outside"):
        verdict(Outcome("killed", 9), right=False)


def test_every_case_runs_in_a_process_of_its_own(score: Callable[..., Score]) -> None:
    program = "import builtins\nprint(hasattr(builtins, 'seen'))\nbuiltins.seen = 1"
    tests = [{"input": "", "output": "False"}] * 2

    assert score(program, {"tests": tests}).value == 1.0


def test_setup_runs_before_the_program(score: Callable[..., Score]) -> None:
    program = "from __future__ import annotations\nprint(double(int(input())))"
    setup = "def double(n):\n    return 2 * n"

    assert score(program, {"tests": TESTS}, setup=setup).value == 1.0


def test_max_cases_runs_so_many_and_says_so(score: Callable[..., Score]) -> None:
    tests = [{"input": str(n), "output": str(2 * n)} for n in range(20)]

    given = score(DOUBLE, {"tests": tests}, max_cases=3, seed=0)

    assert len(verdicts(given)) == 3
    assert given.reason == "3 of 3 cases passed; 3 of 20 cases were chosen by seed 0"


def test_asserts_run_after_the_program(score: Callable[..., Score]) -> None:
    tests = ["assert add(2, 3) == 5", "assert add(2, 3) == 6"]

    given = score(ADD, {"test_list": tests})

    assert verdicts(given) == ["passed", "wrong_answer"]


def test_asserts_get_their_imports_and_setup_code(score: Callable[..., Score]) -> None:
    given = score(
        "def f(r):\n    return math.pi * r * K",
        {
            "test_list": ["assert math.isclose(f(1), 2 * math.pi)"],
            "test_imports": ["import math"],
            "test_setup_code": "K = 2",
        },
    )

    assert given.value == 1.0


def test_asserts_run_apart_from_the_program_and_count_in_full(score: Callable[..., Score]) -> None:
    given = score(ADD, {"test_list": ["assert add(1, 1) == 2"]})

    assert given.value == 1.0
    assert isinstance(given.evidence, dict)
    assert "integrity" not in given.evidence


LOOKS_INSIDE = {"test": "import inspect\nassert 'return a + b' in inspect.getsource(add)"}


def test_a_test_that_needs_the_programs_interpreter_is_refused(run: Run) -> None:
    with pytest.raises(DataError, match="set `integrity: allow-weak`"):
        run(ADD, LOOKS_INSIDE)


def test_allow_weak_runs_it_there_and_marks_the_score(score: Callable[..., Score]) -> None:
    metadata = {"test": "import gc\ngc.collect()\nassert add(1, 1) == 2"}

    given = score(ADD, metadata, integrity="allow-weak")

    assert given.value == 1.0
    assert isinstance(given.evidence, dict)
    assert given.evidence["integrity"] == "weak"
    assert "interpreter" in given.evidence["results"][0]["note"]


@pytest.mark.parametrize(
    "program",
    [
        "import os\ndef add(a, b):\n    os._exit(0)",
        "def add(a, b):\n    raise SystemExit(0)",
        "def add(a, b):\n    quit()",
        "import os\ndef add(a, b):\n    os.execv('/bin/true', ['true'])",
        "import os\nos.write(3, b'0' * 32)\ndef add(a, b): return 0",
        "import atexit, os\natexit.register(os.write, 3, bytes(32))\ndef add(a, b): return 0",
        "import sys\nnonce = sys.stdin.read()\ndef add(a, b): return nonce",
        "import sys\nsys.excepthook = lambda *a: sys.exit(0)\ndef add(a, b): return 0",
    ],
    ids=["_exit", "SystemExit", "quit", "exec", "forge", "atexit", "stdin", "hook"],
)
def test_a_program_that_ends_early_or_forges_does_not_pass_asserts(
    score: Callable[..., Score], program: str
) -> None:
    assert score(program, {"test_list": ["assert add(2, 3) == 5"]}).value == 0.0


def test_the_evidence_shows_what_was_expected_and_what_came(score: Callable[..., Score]) -> None:
    program = "import sys\nprint('x' * 500)\nprint('why', file=sys.stderr)"

    given = score(program, {"tests": [{"input": "", "output": "y"}]})

    assert isinstance(given.evidence, dict)
    (result,) = given.evidence["results"]
    assert result["case"] == 1
    assert result["seconds"] > 0
    assert result["expected"] == "y"
    assert result["got"] == "x" * 200 + " …"
    assert result["stderr"] == "why\n"


def test_the_evidence_counts_verdicts_and_shows_failed_cases_first(
    score: Callable[..., Score],
) -> None:
    tests = [{"input": str(n), "output": str(2 * n)} for n in range(40)]

    given = score("n = int(input())\nprint(2 * n if n < 39 else 0)", {"tests": tests})

    assert isinstance(given.evidence, dict)
    assert given.evidence["verdicts"] == {"passed": 39, "wrong_answer": 1}
    assert [result["case"] for result in given.evidence["results"]] == [*range(1, 16), 40]


def test_the_evidence_fits_what_a_component_may_keep(score: Callable[..., Score]) -> None:
    tests = [{"input": "", "output": "é" * 1000}] * 40
    program = "import sys\nprint('ü' * 500)\nprint('ö' * 500, file=sys.stderr)"

    given = score(program, {"tests": tests})

    assert bounded_evidence(given.evidence) == given.evidence


@pytest.mark.parametrize(
    ("memory", "said"),
    [("cgroup", None), ("per-process", "capped for each process, not for the case"), ("", None)],
)
def test_the_evidence_says_where_memory_is_capped_for_each_process_only(
    memory: str, said: str | None
) -> None:
    told = evidence([CaseResult("passed", Outcome("exited", 0), b"")], 1, memory)

    assert isinstance(told, dict)
    assert str(told.get("memory", "")).startswith(said or "")
    assert ("memory" in told) == (said is not None)


def test_the_evidence_has_the_peak_of_memory_where_it_is_known() -> None:
    outcome = Outcome("exited", 0, peak_bytes=3 * 2**20)

    assert CaseResult("passed", outcome, b"").evidence()["peak_mb"] == 3.0
    assert "peak_mb" not in CaseResult("passed", Outcome("exited", 0), b"").evidence()


def test_a_weak_case_marks_itself_and_the_score() -> None:
    weak = CaseResult("passed", Outcome("exited", 0), b"", "weak", "needs mock.patch")

    told = evidence([weak, CaseResult("passed", Outcome("exited", 0), b"")], 2, "cgroup")

    assert isinstance(told, dict)
    assert told["integrity"] == "weak"
    assert told["results"][0]["note"] == "needs mock.patch"
    assert "integrity" not in told["results"][1]


def test_a_score_with_every_case_passed_needs_no_reason(score: Callable[..., Score]) -> None:
    assert score(DOUBLE, {"tests": TESTS}).reason == ""


@pytest.mark.parametrize("broken", ["print(5", "if 1:\nprint(5)"])
def test_a_program_that_python_refuses_does_not_compile_after_a_setup_either(
    score: Callable[..., Score], broken: str
) -> None:
    given = score(broken, {"tests": [{"input": "", "output": "5"}]}, setup="x = 1")

    assert verdicts(given) == ["compile_error"]


class FailingFork:
    """A sandbox whose first jails break while a case runs."""

    rung = "failing"

    def __init__(self, fork: BareFork, failures: int) -> None:
        self._fork = fork
        self.failures = failures

    def python(self) -> FailingFork:
        return self

    def remaining_s(self) -> float | None:
        return None

    def load(self, program: Program) -> Loaded:
        return FailingProgram(self, self._fork.load(program))


class FailingProgram:
    enforced: ClassVar[dict[str, str]] = {}

    def __init__(self, fork: FailingFork, loaded: Loaded) -> None:
        self._fork = fork
        self._loaded = loaded

    def case(
        self,
        stdin: bytes,
        limits: Limits,
        *,
        wire: socket.socket | None = None,
        ahead: bytes | None = None,
    ) -> Outcome:
        if self._fork.failures:
            self._fork.failures -= 1
            if wire is not None:
                wire.send(b"[")
            raise SandboxUnavailable("the jail broke")
        return self._loaded.case(stdin, limits, wire=wire)

    def kill(self) -> None:
        pass

    def close(self) -> None:
        pass


CALL: dict[str, Any] = {"inputs": [[2]], "outputs": [4], "fn_name": "f"}


@pytest.mark.parametrize(
    ("completion", "metadata"),
    [
        (DOUBLE, {"tests": TESTS}),
        ("def f(n): return 2 * n", CALL),
        (ADD, {"test_list": ["assert add(1, 1) == 2", "assert add(0, 1) == 1"]}),
    ],
    ids=["pair", "call", "assert"],
)
def test_a_jail_that_breaks_is_tried_again_in_a_fresh_one(
    bare_fork: BareFork, completion: str, metadata: dict[str, Any]
) -> None:
    record = Record(id="1", output=completion, metadata=metadata)
    tools = Tools(sandbox=FailingFork(bare_fork, failures=1))

    answer = CodeExecTests(CodeExecTestsParams(), tools).score(record)

    assert isinstance(answer, Score)
    assert answer.value == 1.0


def test_a_jail_that_breaks_twice_is_an_error_and_never_a_score(bare_fork: BareFork) -> None:
    metadata: dict[str, Any] = {"tests": TESTS}
    record = Record(id="1", output=DOUBLE, metadata=metadata)
    tools = Tools(sandbox=FailingFork(bare_fork, failures=2))

    with pytest.raises(SandboxUnavailable, match="the jail broke"):
        CodeExecTests(CodeExecTestsParams(), tools).score(record)


class HurriedSandbox:
    """A sandbox under a deadline."""

    def __init__(self, fork: BareFork, deadline_s: float) -> None:
        self._fork = fork
        self._end = time.monotonic() + deadline_s

    def python(self) -> BareFork:
        return self._fork

    def remaining_s(self) -> float | None:
        return max(0.0, self._end - time.monotonic())


@pytest.mark.parametrize(
    ("completion", "metadata"),
    [
        ("import time\nif input() == '7': time.sleep(60)\nprint(4)", {"tests": TESTS * 3}),
        (
            "import time\ndef f(n):\n    if n == 7: time.sleep(60)\n    return 4",
            {"inputs": [[2], [7], [2]] * 2, "outputs": [4] * 6, "fn_name": "f"},
        ),
    ],
    ids=["pairs", "calls"],
)
def test_what_the_deadline_leaves_no_time_for_is_a_timeout(
    bare_fork: BareFork, completion: str, metadata: dict[str, Any]
) -> None:
    record = Record(id="1", output=completion, metadata=metadata)
    tools = Tools(sandbox=HurriedSandbox(bare_fork, 3))

    answer = CodeExecTests(CodeExecTestsParams(timeout_s=60), tools).score(record)

    assert isinstance(answer, Score)
    assert verdicts(answer) == ["passed", *["timeout"] * 5]
    assert not answer.stable


PROMPT = 'import math\n\n\ndef f(n: int) -> int:\n    """ Doubles a number. """\n'
CHECK = "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(0) == 0\n"


@pytest.mark.parametrize(
    ("completion", "value"),
    [
        ("    return int(math.fabs(n)) * 2\n", 1.0),
        ("return n * 2", 1.0),
        ("def f(n):\n    return math.ceil(n) * 2\n", 1.0),
        ("Here:\n```python\n" + PROMPT + "    return n * 2\n```", 1.0),
        ("    return n\n", 0.0),
        ("    return n *\n", 0.0),
    ],
    ids=["body", "stripped", "function", "fenced", "wrong", "broken"],
)
def test_a_humaneval_completion_continues_its_prompt(
    bare_tools: Tools, completion: str, value: float
) -> None:
    metadata: dict[str, Any] = {"test": CHECK, "entry_point": "f"}
    record = Record(id="1", input=PROMPT, output=completion, metadata=metadata)

    answer = CodeExecTests(CodeExecTestsParams(), bare_tools).score(record)

    assert isinstance(answer, Score)
    assert answer.value == value


def test_malformed_cases_are_an_error_of_the_data(run: Run) -> None:
    with pytest.raises(DataError, match=r"tests\[1\]\.output is missing"):
        run(DOUBLE, {"tests": [{"input": "", "output": ""}, {"input": "1"}]})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"timeout_s": 0}, "timeout_s"),
        ({"compare": "fuzzy"}, "compare"),
        ({"float_tolerance": 1e-6, "compare": "exact"}, "use compare: lines or tokens"),
        ({"max_cases": 0}, "max_cases"),
        ({"retries": 1}, "retries"),
    ],
    ids=["timeout", "compare", "tolerance", "cases", "unknown"],
)
def test_wrong_params_are_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        CodeExecTestsParams.model_validate(params)
