"""Whose the names in a test are: the test's own, everybody's, or the program's."""

from __future__ import annotations

import ast
import symtable
from typing import TYPE_CHECKING

from evalsi_pack_rl.code_exec.asserts.standard import BUILT_IN, STANDARD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

__all__ = ["bound", "module_names", "names_in", "of_program"]


def names_in(tree: ast.AST) -> frozenset[str]:
    """The names that a tree reads or binds."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def module_names(text: str) -> tuple[set[str], set[str]]:
    """The names that a text binds in its module, and those that it reads there.

    Methods, parameters and variables of functions are none of them: a test may have a class with a
    method `area` and call the program's `area`.

    Raises:
        SyntaxError: Python refuses the text for its scopes.
    """
    top = symtable.symtable(text, "test", "exec")
    owned, read, waiting = set(), set(), [top]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        for symbol in table.get_symbols():
            if table is top or symbol.is_global():
                if symbol.is_assigned() or symbol.is_imported():
                    owned.add(symbol.get_name())
                if symbol.is_referenced():
                    read.add(symbol.get_name())
    return owned, read


def bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that nodes bind."""
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.alias(name=path, asname=name):
                yield name or path.partition(".")[0]
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                yield name
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                yield name


def of_program(free: set[str], nodes: list[ast.AST], entry: str, *, imports: bool) -> set[str]:
    """The free names that are the program's; a test that has no such name tests a known one.

    `assert list(chain([1], [2])) == …` in a list of tests means a `chain` of the program: nothing
    else there could be tested. Not so where the test `imports` the program, and so tests that.
    """
    named = free - BUILT_IN - STANDARD.keys()
    if imports:
        return named | {entry} & free
    well_known = free & STANDARD.keys() - BUILT_IN
    theirs = named | {entry} & free | set(_alone(well_known, nodes))
    if theirs:
        return theirs
    for known in (well_known, free & BUILT_IN):
        meant = _innermost(known, nodes)
        if meant:
            return meant
    return free if len(free) == 1 else set()


def _alone(known: set[str], nodes: list[ast.AST]) -> Iterator[str]:
    """The names of them that an assert calls in which there is nothing else to be tested."""
    constant = {"self"} | BUILT_IN
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                names_in(value) <= BUILT_IN
            ):
                constant.add(name)
    for node in nodes:
        if _is_assert(node):
            names = names_in(node) - constant
            if len(names) == 1 and names <= known and _calls(names, node):
                yield from names


def _constants(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if names_in(value) <= BUILT_IN:
                    yield name


def _is_assert(node: ast.AST) -> bool:
    match node:
        case ast.Assert():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            return name.startswith("assert")
    return False


def _innermost(known: set[str], nodes: list[ast.AST]) -> set[str]:
    """The names of them that are called with nothing that another of them gave."""
    found = set()
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in known:
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                if not any(_calls(known, each) for each in given):
                    found.add(name)
    return found if len(found) == 1 else set()


def _calls(known: Collection[str], tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in known
        for node in ast.walk(tree)
    )
