"""What stands ready for a program hangs on its text, and a program cannot tell but by its speed."""

from __future__ import annotations

from contextlib import closing

import pytest

from evalsi.core.sandbox import JailSpec, Limits, Outcome, Program
from evalsi_sandbox.namespaced.forks import JailForks
from evalsi_sandbox.namespaced.modules import base_of

FRACTIONS = "'fract' + 'ions'"


def _run(forks: JailForks, text: str) -> Outcome:
    with closing(forks.load(Program(text))) as loaded:
        outcome = loaded.case(b"", Limits())
        assert loaded._jail is not None  # type: ignore[attr-defined]
    return outcome


def test_a_module_that_the_text_names_is_loaded_before_it(forks: JailForks) -> None:
    outcome = _run(forks, "import sys; print('fractions' in sys.modules)")

    assert outcome.stdout == b"True\n", outcome.stderr


def test_others_are_not_loaded_and_can_be(forks: JailForks) -> None:
    text = (
        f"import sys\nprint({FRACTIONS} in sys.modules)\n"
        f"print(__import__({FRACTIONS}).Fraction(2, 4))"
    )

    outcome = _run(forks, text)

    assert outcome.stdout == b"False\n1/2\n", outcome.stderr


def test_programs_of_both_kinds_take_turns(forks: JailForks) -> None:
    texts = ["import decimal\nprint(decimal.Decimal(1))", "print(1)"] * 3

    assert [_run(forks, text).stdout for text in texts] == [b"1\n"] * 6


NONE, USUAL, ALL = (base_of(Program(text)) for text in ("", "import re", "import json"))


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("import json", ALL),
        ("from dataclasses import dataclass", ALL),
        ("import os, json", ALL),
        ("import typing\ntry:\n    import json\nexcept ImportError:\n    pass", ALL),
        ("x = __import__('json')", ALL),
        ("from typing import List", USUAL),
        ("import sys, heapq", USUAL),
        ("import jsonlib", NONE),
        ("import my_json", NONE),
        ("json = 1  # an array of typing errors", NONE),
        ("import collections, math", NONE),
    ],
)
def test_what_stands_ready_hangs_on_what_is_imported(text: str, base: str) -> None:
    assert base_of(Program(text)) == base


def test_the_three_differ() -> None:
    assert NONE == ""
    assert len({NONE, USUAL, ALL}) == 3


def test_a_file_of_the_jail_is_looked_at_too_and_a_base_stays() -> None:
    program = Program("pass", JailSpec(files={"program.py": b"import decimal\n\xff"}), base="x = 1")

    assert base_of(program).startswith("import ")
    assert base_of(program).endswith("\nx = 1")
