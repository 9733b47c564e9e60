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
from evalsi_pack_rl.code_exec.asserts.apart import together
from evalsi_pack_rl.code_exec.asserts.marked import only_collected
from evalsi_pack_rl.code_exec.asserts.obligations import asserting, collected, ending, suites
from evalsi_pack_rl.code_exec.asserts.owners import module_names, names_in, of_program
from evalsi_pack_rl.code_exec.asserts.shares import before
from evalsi_pack_rl.code_exec.asserts.standard import BUILT_IN, STANDARD, THIRD_PARTY
from evalsi_pack_rl.code_exec.asserts.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NONE", "Reading", "names_of", "read"]

_LONGEST: Final = 1_000_000
_WATCHED: Final = (
    *(("builtins", "input"), ("builtins", "print"), ("sys", "stdin"), ("sys", "argv")),
)
_CHANGING: Final = frozenset(
    ("add", "append", "appendleft", "clear", "discard", "extend", "insert", "remove", "update")
)
_PLAIN: Final = (
    *(ast.Module, ast.Assert, ast.Load, ast.Store, ast.Name, ast.Constant, ast.Attribute),
    *(ast.Call, ast.keyword, ast.Starred, ast.Subscript, ast.Slice, ast.IfExp, ast.Compare),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.JoinedStr, ast.FormattedValue),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
)
_KNOWN: Final = STANDARD.keys() | BUILT_IN | THIRD_PARTY | {"builtins", "pytest"}
NONE: Final[frozenset[str]] = frozenset()
_PATCHES: Final = frozenset({"patch", "setattr", "object", "delattr"})
_NAMING: Final = frozenset({"patch", "setattr", "import_module", "__import__"})


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
        suites: classes of tests.
        ending: first and last lines of the heads of blocks, and of the statements in them, whose
            exception a context manager of the program may end.
        scripted: whether nothing but its tests asserts anything: one of them has to run.
        before: statements of the prelude that the program gets too.
        stateful: whether the test uses a variable as an object: calls what changes it.
        kinds: whether the test asks for the type of things.
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
    suites: tuple[str, ...]
    ending: tuple[tuple[int, int, int, int], ...]
    scripted: bool
    before: tuple[str, ...]
    stateful: bool
    kinds: bool
    plain: bool
    together: str


@lru_cache(maxsize=512)  # the rollouts of one prompt share their tests
def read(prelude: str, test: str, entry: str = "", used: frozenset[str] = NONE) -> Reading:
    """Reads a test.

    Args:
        prelude: Python that runs before it.
        test: Python.
        entry: a name that is the program's whatever else it means.
        used: names that the tests beside it read: what the prelude holds for them.

    Raises:
        DataError: it is no Python, or too long.
    """
    first, second = _parsed(prelude), _parsed(test)
    nodes = [*walk(first), *walk(second)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    (own, read_first), (more, read_second) = _scopes(prelude), _scopes(test)
    own |= more
    free = set(read_first | read_second) - own
    modules = tuple(sorted(_modules(nodes)))
    theirs = frozenset(of_program(free, nodes, entry, imports=bool(modules)))
    return Reading(
        free=tuple(sorted(theirs)),
        classes=tuple(sorted(_classes(nodes))),
        given=tuple((n, *STANDARD[n]) for n in sorted(free - theirs) if n in STANDARD),
        modules=modules,
        watched=tuple(dict.fromkeys((*_WATCHED, *_patched(nodes)))),
        collected=tuple(collected(second)),
        asserting=tuple(asserting(nodes)),
        suites=tuple(suites(second)),
        ending=tuple(ending(second)),
        scripted=only_collected(second),
        before=tuple(before(first, names_in(second) | used)),
        stateful=any(map(_changes, nodes)),
        kinds=_asks_kinds(nodes),
        plain=all(isinstance(node, _PLAIN) for node in walk(second)),
        together=together(nodes, theirs | (names - own - BUILT_IN - set(STANDARD))),
    )


@lru_cache(maxsize=128)
def names_of(tests: tuple[str, ...]) -> frozenset[str]:
    """The names that any of the tests reads.

    Raises:
        DataError: one is no Python, or too long.
    """
    return NONE.union(*(names_in(_parsed(test)) for test in tests))


@lru_cache(maxsize=32)  # a list of tests has one prelude
def _scopes(text: str) -> tuple[frozenset[str], frozenset[str]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own, read_there = module_names(text)
            return frozenset(own), frozenset(read_there)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise DataError(f"a test is not Python: {type(error).__name__}: {error}") from error


@lru_cache(maxsize=32)
def _parsed(text: str) -> ast.Module:
    if len(text) > _LONGEST:
        raise DataError(f"a test of {len(text)} characters; {_LONGEST} are the most")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that Python will refuse one day
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"a test is not Python: {type(error).__name__}: {error}") from error


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
            plain = any(not any(_called(each) for each in walk(side)) for side in sides)
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
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                paths = [alias.name for alias in aliases]
            case ast.ImportFrom(module=str() as path, level=0):
                paths = [path]
            case ast.Call(args=[ast.Constant(value=str() as path), *_]) if _called(node) in _NAMING:
                paths = [path.partition(".")[0]] if path.isascii() else []
            case _:
                continue
        for path in paths:
            parts = path.split(".")
            if parts[0] not in _KNOWN and parts[0].isidentifier():
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


def _asks_kinds(nodes: list[ast.AST]) -> bool:
    """Calls of `type`, where the name stands for nothing else: `f(int) is type`."""
    names = sum(isinstance(node, ast.Name) and node.id == "type" for node in nodes)
    calls = sum(isinstance(node, ast.Call) and _called(node) == "type" for node in nodes)
    return 0 < names == calls


def _changes(node: ast.AST) -> bool:
    """A call that changes a variable, and whose result nobody wants: `queue.append(1)`."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=name))):
            return name in _CHANGING
    return False
