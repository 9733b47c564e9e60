"""What of a test has to run to its end, whatever the program does: read from its syntax tree."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from evalsi_pack_rl.code_exec.asserts.owners import names_in

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["asserting", "collected", "ending", "suites"]


def collected(test: ast.Module) -> Iterator[str]:
    """The `test…` functions of a script that the script itself does not come to call."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = {node.name: node for node in test.body if isinstance(node, kinds)}
    new = {name for node in test.body if not isinstance(node, kinds) for name in names_in(node)}
    called: set[str] = set()
    while new:
        called |= new
        bodies = [functions[name] for name in new & functions.keys()]
        new = {name for body in bodies for name in names_in(body)} - called
    yield from (name for name in functions if name.startswith("test") and name not in called)


def suites(test: ast.Module) -> Iterator[str]:
    """The classes of tests."""
    for node in test.body:
        if isinstance(node, ast.ClassDef):
            bases = {name for base in node.bases for name in _names(base)}
            if node.name.startswith("Test") or any(name.endswith("TestCase") for name in bases):
                yield node.name


def asserting(nodes: list[ast.AST]) -> Iterator[str]:
    """Functions whose asserts are only worth something once they have been called."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name.startswith("test") or any(map(_can_hold, ast.walk(node))):
                    yield name


def ending(test: ast.Module) -> Iterator[tuple[int, int]]:
    """Where a context manager of the program may end an exception: it skips nothing there.

    At a statement that stands last in its block: a `raise`, or an expression that nobody reads,
    where it is no call of the test's own functions and of no call's result.
    """
    own = {"self"} | {n.name for n in ast.walk(test) if isinstance(n, ast.FunctionDef)}
    for node in ast.walk(test):
        if isinstance(node, ast.With):
            last = node.body[-1]
            if isinstance(last, ast.Raise) or _is_call(last, own):
                yield last.lineno, last.end_lineno or last.lineno


def _can_hold(node: ast.AST) -> bool:
    """An assert that may hold: `assert False` stands where nobody should come."""
    match node:
        case ast.Assert(test=test):
            return not isinstance(test, ast.Constant)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name.startswith("assert")
    return False


def _is_call(statement: ast.stmt, own: set[str]) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call)]
    return len(calls) < 2 and all(names_in(call.func).isdisjoint(own) for call in calls)


def _names(base: ast.expr) -> list[str]:
    match base:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [name]
    return []
