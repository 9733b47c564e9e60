"""The programs in completions, alone and behind the prompt that they continue."""

from __future__ import annotations

import time

import pytest

from evalsi_pack_rl.code_exec.program import behind_prompt, program_text

PROMPT = '''import math
from typing import List

LIMIT = 5


def helper(x):
    return x


def f(xs: List[int]) -> int:
    """The sum.

    def f(xs): is not it.
    """
'''
GIVEN = "import math\nfrom typing import List\nLIMIT = 5\ndef helper(x):\n    return x"
WHOLE = "def f(xs):\n    return sum(xs)\n"


@pytest.mark.parametrize(
    ("completion", "program"),
    [
        ("print(1)", "print(1)"),
        ("so:\n```python\nprint(1)\n```\ndone", "print(1)\n"),
        ("```py\nprint(1)\n```", "print(1)\n"),
        ("```Python\nprint(1)\n```", "print(1)\n"),
        ("```\nprint(1)\n```", "print(1)\n"),
        ("```python title=x\nprint(1)\n```", "print(1)\n"),
        ("```python\nprint(0)\n```\n```python\nprint(1)\n```", "print(1)\n"),
        ("```python\nprint(1)\n```\nprints\n```text\n1\n```", "print(1)\n"),
        ("```python\nprint(1)\n```\nprints\n```\n1\n```", "print(1)\n"),
        ("```python\nprint(1)\n", "print(1)\n"),
        ('```python\nx = """\n```not a fence\n"""\n```', 'x = """\n```not a fence\n"""\n'),
        ("````python\nx = '''\n```\n'''\n````", "x = '''\n```\n'''\n"),
        ("```python\r\nprint(1)\r\n```\r\n", "print(1)\r\n"),
        ("<think>\n```python\n0\n```\n</think>\n```python\nprint(1)\n```", "print(1)\n"),
        ("\ufeffprint(1)", "print(1)"),
        ("```python", ""),
        ("", ""),
        ("~~~python\nprint(1)\n~~~\ndone", "print(1)\n"),
        ("```text\n~~~python\n0\n~~~\n```\n~~~\nprint(1)\n~~~", "print(1)\n"),
        ("1. so\n   ```python\n   if x:\n       print(1)\n   ```", "if x:\n    print(1)\n"),
        ("- so\n\n\t```python\n\tprint(1)\n\n\tprint(2)\n\t```", "print(1)\n\nprint(2)\n"),
        ("> ```python\n> if x:\n>\n>     print(1)\n> ```", "if x:\n\n    print(1)\n"),
        ("```{.python .x}\nprint(1)\n```", "print(1)\n"),
        ("```python:a.py\nprint(1)\n```", "print(1)\n"),
        ("```python3.11\nprint(1)\n```", "print(1)\n"),
        ("```python-repl\n>>> 1\n```\n```\nprint(1)\n```", "print(1)\n"),
        ("```python\nprint(1)```", "print(1)"),
        ('def f():\n    """So.\n\n    ```python\n    f()\n    ```\n    """\n', None),
        ("print('''\n    ```\n''')", None),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_the_program_is_the_last_fenced_block_or_the_whole_text(
    completion: str, program: str | None
) -> None:
    assert program_text(completion) == (completion if program is None else program)


@pytest.mark.parametrize(
    "unit",
    [
        *("`", "```\n", "```python\n", "```x`", "   ", "<think>", "a`", ">", "> ", "~~~\n"),
        *("    ```python\n    ```\n", '"""    ```py\n'),
    ],
)
def test_ten_megabytes_are_searched_in_linear_time(unit: str) -> None:
    started = time.perf_counter()
    program_text("```" + unit * (10_000_000 // len(unit)))

    assert time.perf_counter() - started < 20


def test_a_deep_fence_is_ended_in_linear_time() -> None:
    started = time.perf_counter()
    program_text(" " * 2_000_000 + "````\n" + "```\n" * 200_000)

    assert time.perf_counter() - started < 10


@pytest.mark.parametrize(
    ("body", "put"),
    [
        ("    return sum(xs)\n", "    return sum(xs)\n"),
        ("\n\n    return sum(xs)\n", "    return sum(xs)\n"),
        ("   \n    return sum(xs)\n", "   \n    return sum(xs)\n"),
        ("return sum(xs)\n", "    return sum(xs)\n"),
        ("n = 0\n    return n", "    n = 0\n    return n"),
        ("n = 0\nfor x in xs:\n    n += x\nreturn n", None),
        ("    return g(xs)\n\n\ndef g(xs):\n    return sum(xs)\n", None),
        ("", ""),
    ],
    ids=["body", "blank", "spaces", "stripped", "first-line", "dedented", "helper", "empty"],
)
def test_a_body_is_put_behind_its_prompt(body: str, put: str | None) -> None:
    program = behind_prompt(PROMPT, body, "f")

    assert program.startswith(PROMPT)
    if put is not None:
        assert program == PROMPT + put
    compile(program, "program", "exec")


def test_a_program_with_the_function_gets_what_else_its_prompt_has() -> None:
    assert behind_prompt(PROMPT, WHOLE, "f") == f"{GIVEN}\n{WHOLE}"


@pytest.mark.parametrize("program", ["async def f():\n    pass", "f = lambda xs: 1", "f: int = 1"])
def test_a_function_may_be_defined_in_many_ways(program: str) -> None:
    assert behind_prompt(PROMPT, program, "f") == f"{GIVEN}\n{program}"


def test_what_comes_from_the_future_stays_first() -> None:
    program = behind_prompt(PROMPT, f"from __future__ import annotations\n{WHOLE}", "f")

    assert program == f"from __future__ import annotations\n{GIVEN}\n{WHOLE}"
    compile(program, "program", "exec")


@pytest.mark.parametrize(
    "unit", ["from __future__ import (\n", "async def ", "def f", "return\n", "class \t", "f  "]
)
def test_ten_megabytes_are_put_behind_a_prompt_in_linear_time(unit: str) -> None:
    started = time.perf_counter()
    behind_prompt(PROMPT, unit * (10_000_000 // len(unit)), "f")

    assert time.perf_counter() - started < 20


def test_a_class_is_the_entry_point_of_its_methods() -> None:
    prompt = "from typing import List\n\nclass Solution:\n    def f(self, x: List[int]):\n"
    whole = "class Solution:\n    def f(self, x): return x"

    assert behind_prompt(prompt, whole, "Solution().f") == f"from typing import List\n{whole}"


@pytest.mark.parametrize(
    "prompt",
    ["Write f, please.", "double", "", "Complete it:\n```python\n" + PROMPT + "```\nThanks."],
    ids=["words", "a-name", "empty", "fenced"],
)
def test_words_in_a_prompt_are_no_program(prompt: str) -> None:
    expected = f"{GIVEN}\n{WHOLE}" if "```" in prompt else WHOLE

    assert behind_prompt(prompt, WHOLE, "f") == expected


def test_a_prompt_without_a_docstring_is_read_too() -> None:
    prompt = "import math\n\ndef f(xs):"

    assert behind_prompt(prompt, WHOLE, "f") == f"import math\n{WHOLE}"
    assert behind_prompt(prompt, "    return 1", "f") == f"{prompt}\n    return 1"
