"""What of a test's prelude the program gets too.

So a program has its helpers and classes, and nothing that the prelude holds for the tests: no
expected value, and no function that would compute one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.code_exec.asserts.owners import bound, names_in
from evalsi_pack_rl.code_exec.asserts.standard import BUILT_IN
from evalsi_pack_rl.code_exec.asserts.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["before"]

_NONE: Final = frozenset[str]()
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_GIVEN: Final = (ast.Import, ast.ImportFrom, ast.ClassDef)


def before(prelude: ast.Module, used: frozenset[str]) -> Iterator[str]:
    """The statements that the program gets.

    Args:
        prelude: of all tests.
        used: names that the tests read.
    """
    kept = set(_for_tests(prelude, used))
    for node in prelude.body:
        asserts = any(isinstance(each, ast.Assert) for each in walk(node))
        names = names_in(node) | _made(node)
        if not asserts and (isinstance(node, _GIVEN) or names.isdisjoint(kept)):
            yield ast.unparse(node)
        else:
            kept.update(bound(_top(node)))  # `B = A` is another name of what the tests read


def _for_tests(prelude: ast.Module, used: frozenset[str]) -> frozenset[str]:
    """What the tests read of the prelude, and what made that: names that it read in turn."""
    given = [each for node in prelude.body if isinstance(node, _GIVEN) for each in _top(node)]
    others = [node for node in prelude.body if not isinstance(node, _GIVEN)]
    own = _NONE.union(*map(_made, others)) - set(bound(given)) - BUILT_IN
    found, new = _NONE, used & own
    while new:
        found |= new
        makers = [node for node in others if not _made(node).isdisjoint(new)]
        new = _NONE.union(*map(names_in, makers)) & own - found
    return found


def _top(node: ast.stmt) -> list[ast.AST]:
    """A statement's nodes, of a definition only itself: its own variables are nobody's."""
    return [node] if isinstance(node, _DEFINITIONS) else walk(node)


def _made(node: ast.stmt) -> frozenset[str]:
    """The names that a statement may bind or change; of a function's only its own."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return frozenset({name})
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return frozenset({name})
    return names_in(node) | frozenset(bound(walk(node)))
