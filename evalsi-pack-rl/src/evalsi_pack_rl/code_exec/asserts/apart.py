"""Which tests cannot be run apart from the program, read from their syntax trees."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

__all__ = ["together"]

_FILES: Final = "works on files, which the program would not see"
_MODULES: Final = {
    "ast": "reads source",
    "ctypes": "reaches into memory",
    "dis": "reads code objects",
    "doctest": "reads docstrings",
    "gc": "walks the heap",
    "inspect": "looks into functions",
    "multiprocessing": "starts processes",
    "pickle": "pickles objects",
    "shutil": _FILES,
    "subprocess": "starts processes",
    "tempfile": _FILES,
    "tracemalloc": "measures the interpreter",
}
_FIELDS: Final = "looks into the fields of a dataclass"
_FUNCTIONS: Final = {
    "asyncio": {"iscoroutinefunction": "looks into functions"},
    "dataclasses": dict.fromkeys(("asdict", "astuple", "is_dataclass", "replace"), _FIELDS),
    "os": dict.fromkeys(
        ("chdir", "listdir", "makedirs", "mkdir", "remove", "rename", "rmdir", "unlink", "walk"),
        _FILES,
    ),
    "path": dict.fromkeys(("exists", "getsize", "isdir", "isfile"), _FILES),
    "pytest": dict.fromkeys(("deprecated_call", "warns"), "listens to the program's warnings"),
    "self": {
        **dict.fromkeys(("assertLogs", "assertNoLogs"), "listens to the program's log"),
        **dict.fromkeys(("assertWarns", "assertWarnsRegex"), "listens to the program's warnings"),
    },
    "warnings": {"catch_warnings": "listens to the program's warnings"},
}
_METHODS: Final = dict.fromkeys(("read_bytes", "read_text", "write_bytes", "write_text"), _FILES)
_FIXTURES: Final = {
    "caplog": "listens to the program's log",
    "tmp_path": _FILES,
}


def together(nodes: Iterable[ast.AST], theirs: Collection[str]) -> str:
    """Why a test needs the program's own interpreter; empty where it does not.

    Args:
        nodes: of the test, its prelude included.
        theirs: names of the program.
    """
    every = list(nodes)
    imported = {
        alias.asname or alias.name
        for node in every
        if isinstance(node, ast.ImportFrom)
        if (node.module or "").partition(".")[0] in _FUNCTIONS
        for alias in node.names
    }
    return next((why for node in every for why in _reasons(node, theirs, imported)), "")


def _reasons(node: ast.AST, theirs: Collection[str], imported: Collection[str]) -> Iterator[str]:
    match node:
        case ast.Import(names=aliases):
            yield from (_of_module(alias.name) for alias in aliases if _known(alias.name))
        case ast.ImportFrom(module=str() as path) if _known(path):
            yield _of_module(path)
        case ast.ClassDef(name=name, bases=bases):
            for base in bases:
                if isinstance(base, ast.Name) and base.id in theirs:
                    yield f"its class {name} derives from {base.id}, which is the program's"
        case ast.AsyncWith():
            yield "it enters an asynchronous context"
        case ast.Call(func=function):
            yield from _of_call(function, imported)
        case ast.arg(arg=name) if name in _FIXTURES:
            yield f"it uses {name}, which {_FIXTURES[name]}"


def _of_call(function: ast.expr, imported: Collection[str]) -> Iterator[str]:
    match function:
        case ast.Name(id="open"):
            yield f"it uses open, which {_FILES}"
        case ast.Name(id=name) if name in imported:
            found = [names[name] for names in _FUNCTIONS.values() if name in names]
            yield from (f"it uses {name}, which {why}" for why in found)
        case ast.Attribute(value=ast.Name(id=home) | ast.Attribute(attr=home), attr=name):
            if name in _FUNCTIONS.get(home, {}):
                yield f"it uses {name}, which {_FUNCTIONS[home][name]}"
    match function:
        case ast.Attribute(attr=name) if name in _METHODS:
            yield f"it uses {name}, which {_METHODS[name]}"


def _known(path: str) -> bool:
    return path.partition(".")[0] in _MODULES


def _of_module(path: str) -> str:
    return f"it uses {path}, which {_MODULES[path.partition('.')[0]]}"
