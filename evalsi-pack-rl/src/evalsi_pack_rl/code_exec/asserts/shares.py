"""What of a test's prelude the program gets too.

So a program has its helpers and classes, and nothing that the prelude holds for the tests: no
expected value, and no function that would compute one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from evalsi_pack_rl.code_exec.asserts.owners import bound, names_in

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["before"]


def before(prelude: ast.Module, used: frozenset[str]) -> Iterator[str]:
    """The statements that the program gets.

    Args:
        prelude: of all tests.
        used: names that the tests read.
    """
    kept = _for_tests(prelude, used)
    for node in prelude.body:
        asserts = any(isinstance(each, ast.Assert) for each in ast.walk(node))
        names = set(bound(_top(node)))
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node)
        elif isinstance(node, ast.ClassDef):
            if not asserts:
                yield ast.unparse(node)
        elif not asserts and names.isdisjoint(kept):
            yield ast.unparse(node)


def _for_tests(prelude: ast.Module, used: frozenset[str]) -> frozenset[str]:
    """What the tests read, and what the functions of the prelude that they read read in turn."""
    bodies = {
        node.name: names_in(node)
        for node in prelude.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    found, new = frozenset[str](), used
    while new:
        found |= new
        read = frozenset(name for each in new & bodies.keys() for name in bodies[each])
        new = read - found
    return found


def _top(node: ast.stmt) -> list[ast.AST]:
    """A statement's nodes, of a function's only itself: its own variables are nobody's."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [node]
    return list(ast.walk(node))
