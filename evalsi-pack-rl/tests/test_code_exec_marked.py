"""Scripts that say before they run that they test nothing, or cannot be run."""

from __future__ import annotations

import pytest

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.cases import cases_of

MARK = "@pytest.mark"
TEST = "def test_a(): assert f(1)"
METHOD = "    def test_b(self): assert f(2)"


@pytest.mark.parametrize(
    "test",
    [
        f"{MARK}.skip\n{TEST}",
        f"{MARK}.xfail(reason='x')\n{TEST}",
        f"{MARK}.skip(reason='x')\nclass TestB:\n{METHOD}",
        f"@unittest.skip('x')\nclass B(unittest.TestCase):\n{METHOD}",
        f"{MARK}.skip\n{TEST}\nclass TestB:\n    {MARK}.xfail\n{METHOD}",
    ],
    ids=["skip", "xfail", "class", "unittest", "both"],
)
def test_a_script_whose_tests_are_all_left_out_is_no_case(test: str) -> None:
    assert cases_of({"test": test}) == []


@pytest.mark.parametrize(
    "test",
    [
        f"{MARK}.skip\n{TEST}\nassert f(2)",
        f"{MARK}.skip\n{TEST}\nclass TestB:\n{METHOD}",
        f"{MARK}.skipif(True)\n{TEST}",
        f"{MARK}.skip\n{TEST}\nclass TestB(Base):\n    {MARK}.skip\n{METHOD}",
        f"class Test:\n    {MARK}.skip\n    def helper(self): pass",
    ],
    ids=["assert", "other-test", "condition", "inherited", "no-test"],
)
def test_a_script_that_may_still_test_something_is_a_case(test: str) -> None:
    assert len(cases_of({"test": test})) == 1


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("def test_a(mocker): assert f(1)", "mocker"),
        ("class TestA:\n    def test_a(self, db): assert f(1)", "db"),
        ("@pytest.fixture\ndef one(session): pass\ndef test_a(one): pass", "session"),
        (f"{MARK}.parametrize(['a', 'b'], [(1, 2)])\ndef test_a(a, b, c): pass", "c"),
        ("def test_a(request): pass", "request"),
    ],
    ids=["function", "method", "of-fixture", "beside-rows", "request"],
)
def test_a_fixture_that_nobody_makes_is_an_error_of_the_data(test: str, name: str) -> None:
    with pytest.raises(DataError, match=f"test asks for the fixture `{name}`"):
        cases_of({"test": test})


@pytest.mark.parametrize(
    "test",
    [
        "@pytest.fixture(name='two')\ndef one(request): pass\ndef test_a(two, capsys): pass",
        f"{MARK}.slow\n{MARK}.parametrize('a, b', [(1, 2)])\ndef test_a(a, b): pass",
        f"{MARK}.parametrize(NAMES, [(1, 2)])\ndef test_a(a, b): pass",
        f"{MARK}.parametrize([A, 'b'], [(1, 2)])\ndef test_a(a, b): pass",
        "@patch('time.sleep')\ndef test_a(sleep): pass",
        "@patch('time.sleep')\nclass TestA:\n    def test_a(self, sleep): pass",
        "def test_a(n=3): pass",
        "def test_a(function): assert function(1)\ntest_a(f)",
        "def test_a(given): pass",
    ],
    ids=[
        "named", "rows", "names", "name", "patch", "patched-class", "default", "called", "setup",
    ],
)  # fmt: skip
def test_what_somebody_makes_is_no_error(test: str) -> None:
    setup = "@pytest.fixture\ndef given(): pass"

    assert len(cases_of({"test": test, "test_setup_code": setup})) == 1
