"""Python that asserts: MBPP's list, HumanEval's `check`, and whole scripts."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.asserts.marked import all_left_out, unknown_fixtures
from evalsi_pack_rl.code_exec.cases_kinds import AssertCase
from evalsi_pack_rl.code_exec.cases_reading import as_list, as_text, parsed

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = ["entry_point", "listed", "script"]


def listed(metadata: Mapping[str, JSON]) -> Iterator[AssertCase]:
    """Each item of `test_list`, after `test_imports` and `test_setup_code`."""
    tests = parsed(metadata.get("test_list"), "test_list")
    if tests is None:
        return
    prelude = _prelude(metadata)
    for index, test in enumerate(as_list(tests, "test_list")):
        yield AssertCase(prelude, _python(test, f"test_list[{index}]"))


def script(metadata: Mapping[str, JSON]) -> Iterator[AssertCase]:
    """The script in `test`; with `entry_point`, its `check` is called with that function.

    A script whose tests are all left out by marks is no case.

    Raises:
        DataError: it defines a `check` that nothing calls, or asks for a fixture that is not there.
    """
    test = metadata.get("test")
    if test is None or test == "":
        return
    text = _python(test, "test")
    entry = entry_point(metadata)
    if _is_check(text):
        if entry is None:
            raise DataError("test defines `check` and never calls it; give `entry_point`")
        text = f"{text.rstrip()}\n\ncheck({entry})\n"
    prelude = _prelude(metadata)
    unknown, left_out = _marked(prelude, text)
    if unknown:
        raise DataError(
            f"test asks for the fixture `{unknown}`, which it does not define and the sandbox does "
            "not have; define it there, or leave the test out"
        )
    if left_out:
        return
    named = re.split(r"\W", entry or "", maxsplit=1)[0]
    yield AssertCase(prelude, text, "script", named)


def entry_point(metadata: Mapping[str, JSON]) -> str | None:
    """What `check` is called with: a function's name, or `Solution().name`.

    Raises:
        DataError: `entry_point` is no such text.
    """
    value = metadata.get("entry_point")
    if value is None or value == "":
        return None
    entry = as_text(value, "entry_point", "the name of a function")
    if not all(part.isidentifier() for part in entry.replace("().", ".", 1).split(".")):
        raise DataError(
            f"entry_point is {entry[:80]!r}; it must name a function, or be `Solution().name`"
        )
    return entry


def _prelude(metadata: Mapping[str, JSON]) -> str:
    imports = metadata.get("test_imports") or []
    lines = [imports] if isinstance(imports, str) else as_list(imports, "test_imports")
    texts = [_python(line, f"test_imports[{index}]") for index, line in enumerate(lines)]
    return "\n".join([*texts, _python(metadata.get("test_setup_code") or "", "test_setup_code")])


def _python(value: JSON, where: str) -> str:
    """Text that Python can compile: else every program would fail a case that tests nothing."""
    text = as_text(value, where, "Python text")
    problem = _problem(text)
    if problem:
        raise DataError(f"{where} is not Python: {problem}")
    return text


@lru_cache(maxsize=512)  # the rollouts of one prompt share their tests
def _problem(text: str) -> str:
    try:
        _parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


@lru_cache(maxsize=512)
def _is_check(text: str) -> bool:
    """Whether a script defines `check` and leaves its call to the harness."""
    body = _parsed(text).body
    defined = any(isinstance(node, ast.FunctionDef) and node.name == "check" for node in body)
    called = any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"
        for statement in body
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
    )
    return defined and not called


@lru_cache(maxsize=512)
def _marked(prelude: str, text: str) -> tuple[str, bool]:
    """A fixture that a script asks for in vain, and whether marks leave all of its tests out."""
    tree = _parsed(text)
    return next(unknown_fixtures(_parsed(prelude), tree), ""), all_left_out(tree)


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an escape that Python will refuse one day
        return ast.parse(text)
