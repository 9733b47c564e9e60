"""What the marks and fixtures of a script say before it runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.code_exec.asserts.obligations import collected, suites
from evalsi_pack_rl.code_exec.asserts.owners import names_in
from evalsi_pack_rl.code_exec.asserts.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["all_left_out", "only_collected", "unknown_fixtures"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LEAVE_OUT: Final = frozenset({"skip", "xfail"})
_GIVEN: Final = frozenset({"capsys", "monkeypatch", "caplog", "tmp_path"})


def all_left_out(test: ast.Module) -> bool:
    """Whether marks leave out every test of a script that holds nothing else."""
    tests = list(_tests(test))
    own = all(_is_own(node) for node in test.body)
    return (
        bool(tests)
        and own
        and only_collected(test)
        and all(any(_name(each) in _LEAVE_OUT for each in marks) for _, marks in tests)
    )


def only_collected(test: ast.Module) -> bool:
    """Whether a script has tests to be collected, and asserts nothing by itself."""
    kinds = _Function | ast.ClassDef
    functions = {node.name for node in test.body if isinstance(node, kinds)}
    loose = [node for node in test.body if not isinstance(node, kinds)]
    asserts = any(isinstance(each, ast.Assert) for node in loose for each in walk(node))
    calls = any(names_in(node) & functions for node in loose)
    return any(True for _ in _tests(test)) and not (asserts or calls)


def unknown_fixtures(prelude: ast.Module, test: ast.Module) -> Iterator[str]:
    """Fixtures that tests and fixtures ask for, and that neither the script nor we have."""
    nodes = [*walk(prelude), *walk(test)]
    functions = [node for node in nodes if isinstance(node, _Function) and node.decorator_list]
    made = [node for node in functions if any(map(_is_fixture, node.decorator_list))]
    names = {name for node in functions for name in _fixture_names(node)}
    for node in made:
        yield from (name for name in _asked(node) if name not in names | _GIVEN | {"request"})
    for node, decorators in _tests(test):
        known = names | _GIVEN
        rows = [_rows(each) for each in decorators]
        if None not in rows:  # what another decorator passes is not known
            known = known.union(*(row for row in rows if row is not None))
            yield from (name for name in _asked(node) if name not in known)


def _tests(test: ast.Module) -> Iterator[tuple[_Function, list[ast.expr]]]:
    """The tests that are collected, and what decorates them or their class."""
    functions, classes = set(collected(test)), set(suites(test))
    for node in test.body:
        if isinstance(node, _Function) and node.name in functions:
            yield node, node.decorator_list
        if isinstance(node, ast.ClassDef) and node.name in classes:
            for each in node.body:
                if isinstance(each, _Function) and each.name.startswith("test"):
                    yield each, [*node.decorator_list, *each.decorator_list]


def _is_own(node: ast.stmt) -> bool:
    """Whether it inherits no tests."""
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    return all(_name(base).endswith("TestCase") for base in bases)


def _name(decorator: ast.expr) -> str:
    """The last name of a decorator."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "attr", getattr(called, "id", ""))


def _is_fixture(decorator: ast.expr) -> bool:
    return _name(decorator) == "fixture"


def _fixture_names(node: _Function) -> Iterator[str]:
    yield node.name
    for decorator in node.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else []:
            match keyword:
                case ast.keyword(arg="name", value=ast.Constant(value=str() as name)):
                    yield name


def _asked(node: _Function) -> list[str]:
    """The parameters that somebody has to make."""
    both = [*node.args.posonlyargs, *node.args.args]
    wanted = both[: len(both) - len(node.args.defaults)]
    return [each.arg for each in wanted if each.arg != "self"]


def _rows(decorator: ast.expr) -> set[str] | None:
    """The parameters that a mark gives; None where it cannot be told."""
    match decorator:
        case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, *_]):
            return _listed(names)
        case ast.Attribute(value=ast.Attribute(attr="mark")):
            return set()
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark"))):
            return set()
    return None


def _listed(names: ast.expr) -> set[str] | None:
    match names:
        case ast.Constant(value=str() as text):
            return {name.strip() for name in text.split(",")}
        case ast.List(elts=items) | ast.Tuple(elts=items):
            found = {each.value for each in items if isinstance(each, ast.Constant)}
            return {str(name) for name in found} if len(found) == len(items) else None
    return None
