"""What of a test has to run to its end, whatever the program does: read from its syntax tree."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.code_exec.asserts.owners import bound, names_in
from evalsi_pack_rl.code_exec.asserts.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["asserting", "collected", "ending", "suites"]

_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
                if name.startswith("test") or any(map(_can_hold, walk(node))):
                    yield name


def ending(test: ast.Module) -> Iterator[tuple[int, int, int, int]]:
    """Where a context manager of the program may end an exception: it skips nothing there.

    The first and last lines of a block's head, and of its last statement: a `raise`, or an
    expression that nobody reads, with one call at most and no code of the test's own.
    """
    nodes = walk(test)
    own = {"self"} | {node.name for node in nodes if isinstance(node, _DEFINITIONS)}
    variables = set(bound(nodes)) - {name for node in nodes for name in _imported(node)}
    for node in nodes:
        if isinstance(node, ast.With) and not any(map(_expects, node.items)):
            last, head = node.body[-1], node.items[-1].context_expr
            before = max((each.end_lineno or 0 for each in node.body[:-1]), default=0)
            if before < last.lineno and _skips_nothing(last, own, variables):
                yield node.lineno, _end(head), last.lineno, _end(last)


def _can_hold(node: ast.AST) -> bool:
    """An assert that may hold: `assert False` stands where nobody should come."""
    match node:
        case ast.Assert(test=test):
            return not isinstance(test, ast.Constant)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name.startswith("assert")
    return False


def _expects(item: ast.withitem) -> bool:
    """Whether a block is left by an exception that the test asks for: nobody may end another."""
    names = [name for each in walk(item.context_expr) for name in _names(each)]
    return any(name.startswith(("assert", "raises", "warns")) for name in names)


def _skips_nothing(statement: ast.stmt, own: set[str], variables: set[str]) -> bool:
    nodes = walk(statement)
    called = [each.func for each in nodes if isinstance(each, ast.Call)]
    used = {each.attr for each in nodes if isinstance(each, ast.Attribute)}
    used = used.union(*map(names_in, called))
    direct = [each for each in called if not isinstance(each, ast.Attribute)]
    return (
        isinstance(statement, ast.Raise | ast.Expr)
        and not any(isinstance(each, ast.Yield | ast.YieldFrom) for each in nodes)
        and len(called) < 2
        and used.isdisjoint(own)
        and all(names_in(each).isdisjoint(variables) for each in direct)
    )


def _imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return list(bound(aliases))
    return []


def _end(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


def _names(base: ast.AST) -> list[str]:
    match base:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [name]
    return []
