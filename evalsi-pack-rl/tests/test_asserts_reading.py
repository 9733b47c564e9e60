"""What a test needs of the program, read from the test alone."""

from __future__ import annotations

import pytest

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.asserts.reading import read


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
        ("assert max(sum([1]), 2) == 2", ()),
        ("from solution import add\nassert add(1, 2) == 3", ()),
    ],
    ids=[
        "function", "built-in", "module", "well-known", "local", "check", "comprehension", "error",
        "only-built-in", "built-ins", "imported",
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
    ],
    ids=["from", "dotted", "known"],
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
        ("assert f(1) == 2", ""),
        ("class Own(Exception): pass\nassert f(Own)", ""),
    ],
    ids=["inspect", "from", "base", "context", "plain", "own-class"],
)
def test_a_test_that_needs_the_programs_interpreter_says_why(test: str, why: str) -> None:
    together = read("", test).together

    assert why in together
    assert bool(together) == bool(why)


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
