"""What a test needs of the program, read from the test's own syntax tree.

The tree is the data's, so the program has no say in how it is judged. Names that the test reads
and never binds are the program's; built-in and well-known names are not, unless nothing else in
the test could be.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.asserts.standard import BUILT_IN, STANDARD, THIRD_PARTY

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Reading", "read"]

_LONGEST: Final = 1_000_000
_WATCHED: Final = (("builtins", "input"), ("builtins", "print"), ("sys", "stdin"))
_TOGETHER: Final = {
    "ast": "reads source",
    "ctypes": "reaches into memory",
    "dis": "reads code objects",
    "gc": "walks the heap",
    "inspect": "looks into functions",
    "multiprocessing": "starts processes",
    "pickle": "pickles objects",
    "subprocess": "starts processes",
    "tracemalloc": "measures the interpreter",
}
_PLAIN: Final = (
    *(ast.Module, ast.Assert, ast.Load, ast.Store, ast.Name, ast.Constant, ast.Attribute),
    *(ast.Call, ast.keyword, ast.Starred, ast.Subscript, ast.Slice, ast.IfExp, ast.Compare),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.JoinedStr, ast.FormattedValue),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
)
_PATCHES: Final = frozenset({"patch", "setattr", "object", "delattr"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What the tester is told beside the test.

    Attributes:
        free: names that are the program's.
        classes: names that the test uses as classes of the program.
        given: standard names that the test uses without an import: name, module, attribute.
        modules: names under which the test imports the program.
        watched: names of modules that the test patches.
        collected: functions for a script's end, in their order.
        asserting: functions of the test that hold an assert.
        before: statements of the prelude that the program gets too.
        plain: whether the test only calls, computes and asserts: it changes nothing around it.
        together: why test and program need one interpreter, "" when they do not.
    """

    free: tuple[str, ...]
    classes: tuple[str, ...]
    given: tuple[tuple[str, str, str], ...]
    modules: tuple[str, ...]
    watched: tuple[tuple[str, str], ...]
    collected: tuple[str, ...]
    asserting: tuple[str, ...]
    before: tuple[str, ...]
    plain: bool
    together: str


@lru_cache(maxsize=512)  # the rollouts of one prompt share their tests
def read(prelude: str, test: str) -> Reading:
    """Reads a test.

    Raises:
        DataError: it is no Python, or too long.
    """
    first, second = _parsed(prelude), _parsed(test)
    nodes = [*ast.walk(first), *ast.walk(second)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    bound = set(_bound(nodes))
    free = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound
    }
    theirs = frozenset(_of_program(free))
    return Reading(
        free=tuple(sorted(theirs)),
        classes=tuple(sorted(_classes(nodes))),
        given=tuple((n, *STANDARD[n]) for n in sorted(free - theirs) if n in STANDARD),
        modules=tuple(sorted(_modules(nodes))),
        watched=tuple(dict.fromkeys((*_WATCHED, *_patched(nodes)))),
        collected=tuple(_collected(second)),
        asserting=tuple(_asserting(nodes)),
        before=tuple(_before(first, {n.id for n in ast.walk(second) if isinstance(n, ast.Name)})),
        plain=all(isinstance(node, _PLAIN) for node in ast.walk(second)),
        together=_together(nodes, theirs | (names - bound - BUILT_IN - set(STANDARD))),
    )


def _parsed(text: str) -> ast.Module:
    if len(text) > _LONGEST:
        raise DataError(f"a test of {len(text)} characters; {_LONGEST} are the most")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that Python will refuse one day
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"a test is not Python: {type(error).__name__}: {error}") from error


def _bound(nodes: list[ast.AST]) -> Iterator[str]:
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


def _of_program(free: set[str]) -> set[str]:
    """The free names that are the program's."""
    theirs = free - BUILT_IN - STANDARD.keys()
    if theirs:
        return theirs
    # `assert sum(10, 15) == 6`: where no other name is there to be tested, it is this one.
    return free if len(free) == 1 else set()


def _classes(nodes: list[ast.AST]) -> set[str]:
    """Names that are written like classes, and whose calls are not compared with plain data.

    A program may make a class of what the test calls as a function: how the test uses a name
    decides what objects behind it may do.
    """
    written = {name for node in nodes for name in _written(node) if name[:1].isupper()}
    functions = set()
    for node in nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            plain = any(not any(_called(each) for each in ast.walk(side)) for side in sides)
            functions |= {_called(side) for side in sides if plain}
    return written - functions


def _written(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return [name]
    return []


def _called(node: ast.AST) -> str:
    """The name of what a node calls, "" where it calls nothing."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
    return ""


def _modules(nodes: list[ast.AST]) -> Iterator[str]:
    known = STANDARD.keys() | THIRD_PARTY | {"pytest"}
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                paths = [alias.name for alias in aliases]
            case ast.ImportFrom(module=str() as path, level=0):
                paths = [path]
            case _:
                continue
        for path in paths:
            parts = path.split(".")
            if parts[0] not in known:
                yield from (".".join(parts[: end + 1]) for end in range(len(parts)))


def _patched(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Names of modules in calls such as `patch("time.sleep")`, `setattr(random, "random", …)`."""
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called not in _PATCHES:
            continue
        match node.args:
            case [ast.Constant(value=str() as path), *_] if "." in path:
                module, _, name = path.rpartition(".")
            case [ast.Name(id=module), ast.Constant(value=str() as name), *_]:
                pass
            case _:
                continue
        if module == "builtins" or module.partition(".")[0] in STANDARD:
            yield module, name


def _collected(test: ast.Module) -> Iterator[str]:
    """The `test…` functions of a script that nothing in it calls."""
    used = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    for node in test.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name.startswith("test") and name not in used:
                    yield name


def _asserting(nodes: list[ast.AST]) -> Iterator[str]:
    """Functions whose asserts are only worth something once they have been called."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if any(isinstance(each, ast.Assert) for each in ast.walk(node)):
                    yield name


def _before(prelude: ast.Module, used: set[str]) -> Iterator[str]:
    """What of the prelude the program gets: imports, and what the test itself does not read.

    So the program has its helpers, and no expected value that the prelude holds for the test.
    """
    for node in prelude.body:
        names = set(_bound(list(ast.walk(node))))
        asserts = any(isinstance(each, ast.Assert) for each in ast.walk(node))
        definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
        imports = isinstance(node, ast.Import | ast.ImportFrom)
        if imports or (not asserts and (definition or names.isdisjoint(used))):
            yield ast.unparse(node)


def _together(nodes: list[ast.AST], theirs: set[str] | frozenset[str]) -> str:
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name.partition(".")[0] in _TOGETHER:
                        return (
                            f"it uses {alias.name}, which {_TOGETHER[alias.name.partition('.')[0]]}"
                        )
            case ast.ImportFrom(module=str() as path) if path.partition(".")[0] in _TOGETHER:
                return f"it uses {path}, which {_TOGETHER[path.partition('.')[0]]}"
            case ast.ClassDef(name=name, bases=bases):
                for base in bases:
                    if isinstance(base, ast.Name) and base.id in theirs:
                        return f"its class {name} derives from {base.id}, which is the program's"
            case ast.AsyncWith():
                return "it enters an asynchronous context"
    return ""
