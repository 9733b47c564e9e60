"""What a test needs of the program, read from the test alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.asserts.reading import names_of, read
from evalsi_pack_rl.code_exec.asserts.trees import walk


@pytest.mark.parametrize(
    ("test", "free"),
    [
        ("assert add(1, 2) == 3", ("add",)),
        ("assert sorted(f(3)) == [1] and len(g()) == 2", ("f", "g")),
        ("import math\nassert math.isclose(area(1), 3.14)", ("area",)),
        ("assert isclose(area(1), 3.14)", ("area",)),
        ("expected = 3\nassert f() == expected", ("f",)),
        ("def check(candidate):\n    assert candidate(1) == 2\ncheck(add)", ("add",)),
        ("assert [f(x) for x in range(3)] == [0, 1, 4]", ("f",)),
        ("try:\n    f()\nexcept Own as e:\n    assert e.code == 1", ("Own", "f")),
        ("assert sum(10, 15) == 25", ("sum",)),
        ("assert max(sum([1]), 2) == 2", ("sum",)),
        ("assert list(chain([1], [2])) == [1, 2]", ("chain",)),
        ("expected = sqrt(4)\nassert f(4) == expected", ("f",)),
        ("assert f(1) == 2\nassert product([2, 3]) == 6", ("f", "product")),
        ("class S:\n    def area(self): return 1\nassert area(S()) == 2", ("area",)),
        ("def t(x):\n    y = x\nassert x(y) == [z for z in z()]", ("x", "y", "z")),
        ("n = 0\nn += f(1)\nassert isclose(n, 2)", ("f",)),
        ("xs = [1]\nassert f(xs) is None\nassert Counter(xs) == Counter([2])", ("f",)),
        ("f()\nself.assertEqual(Counter(self.got), Counter([2]))", ("f", "self")),
        ("xs = [2, 3]\nassert f(1) == 2\nassert product(xs) == 6", ("f", "product")),
        ("@trace\ndef t(): pass\nassert queue(math.pi) == f(1)", ("f", "queue", "trace")),
        ("def t():\n    global n\n    n = f()\nassert n", ("f",)),
        ("from solution import add\nassert add(1, 2) == 3", ()),
        ("from solution import add\nassert len(add(1, 2)) == 3", ()),
    ],
    ids=[
        "function", "built-in", "module", "well-known", "local", "check", "comprehension", "error",
        "only-built-in", "built-ins", "only-known", "known-for-expected", "known-alone",
        "method", "locals", "added-to", "passed-on", "in-itself", "known-of-constant",
        "called-module", "global", "imported", "imported-beside-built-in",
    ],
)  # fmt: skip
def test_names_that_the_test_reads_and_does_not_bind_are_the_programs(
    test: str, free: tuple[str, ...]
) -> None:
    assert read("", test).free == free


def test_what_the_prelude_binds_is_not_the_programs() -> None:
    assert read("K = 3\ndef near(a, b): return a == b", "assert near(f(), K)").free == ("f",)


def test_a_standard_name_without_an_import_is_the_real_one() -> None:
    reading = read("", "assert math.floor(f()) == 1 and Counter(g()) == Counter('a')")

    assert reading.given == (("Counter", "collections", "Counter"), ("math", "math", ""))


def test_the_program_gets_the_preludes_imports_and_helpers() -> None:
    prelude = "import math\nK = 2\nWANT = 12\ndef near(a): return a\ndef check(c): assert c"

    before = read(prelude, "assert f() == WANT").before

    assert before == ("import math", "K = 2", "def near(a):\n    return a")


@pytest.mark.parametrize(
    ("test", "modules"),
    [
        ("from solution import f", ("solution",)),
        ("import my.module", ("my", "my.module")),
        ("import math, numpy, pytest", ()),
        ("patch('solution.get').start()", ("solution",)),
        ("patch('time.sleep').start()", ()),
    ],
    ids=["from", "dotted", "known", "patched", "patched-known"],
)
def test_a_module_that_nobody_knows_is_the_program(test: str, modules: tuple[str, ...]) -> None:
    assert read("", test).modules == modules


def test_names_that_the_test_patches_are_watched() -> None:
    test = "with patch('time.sleep'), patch('solution.x'):\n    f()\nsetattr(random, 'random', 1)"

    watched = read("", test).watched

    assert ("time", "sleep") in watched
    assert ("random", "random") in watched
    assert ("solution", "x") not in watched


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("import inspect\nassert inspect.signature(f)", "it uses inspect"),
        ("from multiprocessing import Process\nProcess(target=f)", "it uses multiprocessing"),
        ("class Mine(Base): pass\nassert Mine()", "Mine derives from Base"),
        ("async def g():\n    async with f(): pass", "asynchronous context"),
        ("import doctest\nassert doctest.testmod().failed == 0", "reads docstrings"),
        ("with open('a', 'w') as out: out.write('x')", "works on files"),
        ("assert os.path.exists(f())", "works on files"),
        ("def test_f(tmp_path): assert f(tmp_path)", "works on files"),
        ("self.assertLogs('app')", "log"),
        ("with pytest.warns(UserWarning): f()", "warnings"),
        ("from dataclasses import asdict\nassert asdict(f()) == {}", "fields of a dataclass"),
        ("from solution import replace, walk\nassert replace(walk(1), 2) == 3", ""),
        ("fs.mkdir('a')\nassert fs.exists('a')", ""),
        ("assert f(1) == 2", ""),
        ("class Own(Exception): pass\nassert f(Own)", ""),
    ],
    ids=[
        "inspect", "from", "base", "context", "doctest", "open", "path", "fixture", "logs",
        "warnings", "fields", "imported-from-it", "its-methods", "plain", "own-class",
    ],
)  # fmt: skip
def test_a_test_that_needs_the_programs_interpreter_says_why(test: str, why: str) -> None:
    together = read("", test).together

    assert why in together
    assert bool(together) == bool(why)


def test_a_test_function_that_only_an_idle_one_calls_is_collected() -> None:
    idle = "def idle(): test_a()\ndef main(): test_b()\nmain()"

    assert read("", f"def test_a(): pass\ndef test_b(): pass\n{idle}").collected == ("test_a",)


def test_what_can_fail_a_test_has_to_come_to_its_end() -> None:
    plain = "def a(): assert f()\ndef b(): self.assertEqual(f(), 1)\ndef test_c(): f()\n"
    other = "def d(): assert False\ndef e(): f()\n"

    assert read("", plain + other).asserting == ("a", "b", "test_c")


def test_classes_of_tests_are_known_by_their_names_and_bases() -> None:
    bases = {"TestA": "object", "B": "unittest.TestCase", "C": "TestCase", "D": "object"}
    test = "\n".join(f"class {name}({base}): pass" for name, base in bases.items())

    assert read("", test).suites == ("TestA", "B", "C")


@pytest.mark.parametrize(
    ("block", "may"),
    [
        ("raise KeyError", True),
        ("f(1)", True),
        ("1 / 0", True),
        ("assert f(1) == 2", False),
        ("x = f(1)", False),
        ("found.append(f(1))", False),
        ("verify(x)", False),
        ("self.verify(x)", False),
        ("f(1); y = 2", False),
        ("for x in f(1): raise KeyError", False),
        ("y = 2; f(1)", False),
        ("yield", False),
        ("thing.go()", False),
        ("run()", False),
        ("thing.pay(1)", True),
        ("load(1)", True),
    ],
    ids=[
        "raise", "call", "expression", "assert", "assignment", "nested", "own", "method",
        "not-last", "condition", "beside", "pause", "own-method", "variable", "object", "imported",
    ],
)  # fmt: skip
def test_a_context_manager_may_end_what_nothing_depends_on(block: str, may: bool) -> None:
    own = "def verify(x): assert x\nasync def go(self): assert f(1)\nfrom solution import load\n"
    made = "run = lambda: verify(f(1))\nthing = f(2)\n"

    reading = read("", f"{own}{made}def t():\n  with ctx():\n    {block}\n")

    assert reading.ending == (((7, 7, 8, 8),) if may else ())


@pytest.mark.parametrize(
    ("test", "ending"),
    [
        ("with ctx():\n    with other():\n        f(1)\n    assert f(2)", ((2, 2, 3, 3),)),
        ("with ctx(), pytest.raises(KeyError):\n    f(1)", ()),
        ("with (\n    ctx(),\n    other(),\n):\n    f(\n    1)", ((1, 3, 5, 6),)),
    ],
    ids=["inner", "expected", "lines"],
)
def test_a_block_is_known_by_its_head(test: str, ending: tuple[tuple[int, ...], ...]) -> None:
    assert read("", test).ending == ending


@pytest.mark.parametrize(
    ("test", "stateful"),
    [("q = f()\nq.append(1)", True), ("assert f().append(1) is None", False), ("f(1)", False)],
    ids=["variable", "result", "call"],
)
def test_a_variable_is_an_object_where_a_call_of_its_own_is_for_its_effect(
    test: str, stateful: bool
) -> None:
    assert read("", test).stateful is stateful


def test_what_any_test_reads_of_the_prelude_stays_with_the_tests() -> None:
    functions = "def want(x): return inner(x) + B\ndef inner(x): return x\ndef g(): pass"
    used = names_of(("assert f(1) == want(1)", "assert f(A)"))

    before = read(f"A = 1\nB = 2\n{functions}", "assert f(2)", used=used).before

    assert before == ("def g():\n    pass",)


@pytest.mark.parametrize(
    "made",
    [
        "def ref(n): return n\nA = ref(3)",
        "A = {}\nA[3] = 6",
        "A = []\nA.append(6)",
        "A = []\nfor i in range(3): A.append(i * 2)",
        "def fill(): A.append(6)\nA = []\nfill()",
        "B = 6\nif B:\n    A = B",
        "A = []\nB = A\nB.append(6)",
    ],
    ids=["call", "item", "method", "loop", "function", "condition", "alias"],
)
def test_what_made_a_value_for_the_tests_stays_with_them(made: str) -> None:
    prelude = f"import random\nrandom.seed(1)\nclass N: pass\nC = 1\n{made}"

    before = read(prelude, "assert f(3, random, N) == A").before

    assert before[:4] == ("import random", "random.seed(1)", "class N:\n    pass", "C = 1")
    assert "6" not in " ".join(before)
    assert "ref" not in " ".join(before)
    assert "A" not in " ".join(before[4:])


def test_only_test_functions_that_nothing_calls_are_collected() -> None:
    test = "def test_a(): pass\ndef test_b(): pass\ndef helper(): pass\ntest_b()"

    assert read("", test).collected == ("test_a",)


@pytest.mark.parametrize(
    ("test", "message"),
    [("assert (", "not Python"), ("#" * 1_000_001, "are the most")],
    ids=["syntax", "long"],
)
def test_a_test_that_cannot_be_read_is_an_error_of_the_data(test: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read("", test)


@pytest.mark.parametrize(
    ("test", "scripted"),
    [
        ("def test_a(): assert f(1)", True),
        ("class TestA:\n    def test_a(self): pass\nif run: unittest.main()", True),
        ("def test_a(): assert f(1)\nassert f(2)", False),
        ("def test_a(): pass\ndef go(): pass\ngo()", False),
        ("assert f(1)", False),
    ],
    ids=["function", "class", "assert-beside", "call-beside", "no-test"],
)
def test_a_script_of_collected_tests_alone_has_to_run_one(test: str, scripted: bool) -> None:
    assert read("", test).scripted is scripted


def test_our_walk_is_that_of_the_standard_library() -> None:
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))

    assert list(walk(tree)) == list(ast.walk(tree))
