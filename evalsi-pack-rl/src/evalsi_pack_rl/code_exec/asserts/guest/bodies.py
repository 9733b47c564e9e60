"""Compiles a test so that the bodies of its classes find the program's names.

Before Python 3.13 the body of a class looks its names up past a dictionary's `__missing__`; a name
that is declared global there is looked up as in a function.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def compiled(text: str, name: str, free: Sequence[str]) -> Any:
    """A test's code.

    Args:
        text: Python.
        name: the file that tracebacks name.
        free: names of the program.
    """
    if "class " not in text:
        return compile(text, name, "exec", dont_inherit=True)
    tree = ast.parse(text, name)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    named = sorted({*free}.difference(*map(_bound, ast.walk(tree))))
    for node in classes if named else ():
        at = ast.get_docstring(node, clean=False) is not None
        place = {"lineno": node.lineno, "col_offset": node.col_offset}
        node.body.insert(int(at), ast.Global(names=named, **place))
    return compile(tree, name, "exec", dont_inherit=True)


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    names = (getattr(node, each, None) for each in ("name", "asname", "arg"))
    return [each for each in names if isinstance(each, str)]
