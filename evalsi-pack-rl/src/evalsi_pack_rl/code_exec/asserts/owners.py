"""Whose the names in a test are: the test's own, everybody's, or the program's."""

from __future__ import annotations

import ast
import symtable
from collections import Counter
from typing import TYPE_CHECKING

from evalsi_pack_rl.code_exec.asserts.standard import BUILT_IN, STANDARD
from evalsi_pack_rl.code_exec.asserts.trees import walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

__all__ = ["bound", "module_names", "names_in", "of_program"]


def names_in(tree: ast.AST) -> frozenset[str]:
    """The names that a tree reads or binds."""
    return frozenset(node.id for node in walk(tree) if isinstance(node, ast.Name))


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
    named = free - BUILT_IN - (STANDARD.keys() - set(_called_modules(nodes)))
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


def _called_modules(nodes: list[ast.AST]) -> Iterator[str]:
    """Names of standard modules that a test calls, or decorates with: functions of the program."""
    for node in nodes:
        match node:
            case ast.Call(func=function):
                used = [function]
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                used = node.decorator_list
            case _:
                continue
        names = [each.id for each in used if isinstance(each, ast.Name)]
        yield from (name for name in names if STANDARD.get(name) == (name, ""))


def _alone(known: set[str], nodes: list[ast.AST]) -> Iterator[str]:
    """The names of them that an assert calls in which there is nothing else to be tested."""
    asserts = [each for node in nodes if (each := _asserted(node))]
    constant = _constants(nodes, [name for each in asserts for name in each])
    mixed = constant
    while mixed:  # what an assert shares with a name of the program's may come from there
        beside = (set(each) for each in asserts if not set(each) <= known | constant | BUILT_IN)
        mixed = constant & set[str]().union(*beside)
        constant = constant - mixed
    for node in nodes:
        names = set(_asserted(node)) - constant - BUILT_IN
        if len(names) == 1 and names <= known and _calls(names, node):
            yield from names


def _constants(nodes: list[ast.AST], asserted: list[str]) -> set[str]:
    """Names that built-in names alone make, and that only asserts read."""
    made = [name for node in nodes for name in _of_built_in(node)]
    known = Counter([*asserted, *made])
    used = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    others = bound(node for node in nodes if not isinstance(node, ast.Name))
    return {name for name in made if known[name] == used[name]} - set(others)


def _of_built_in(node: ast.AST) -> list[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if names_in(value) <= BUILT_IN:
            return [name]
    return []


def _asserted(node: ast.AST) -> list[str]:
    """The names in an assert, each as often as it stands there."""
    match node:
        case ast.Assert():
            parts: list[ast.AST] = [node]
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name)) as call):
            if not name.startswith("assert"):
                return []
            parts = [*call.args, *call.keywords]
        case _:
            return []
    return [each.id for part in parts for each in walk(part) if isinstance(each, ast.Name)]


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
        for node in walk(tree)
    )
