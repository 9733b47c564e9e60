"""Walks over a test's syntax tree: reading a test is a dozen of them, and a tenth of its price."""

from __future__ import annotations

import ast

__all__ = ["walk"]


def walk(tree: ast.AST) -> list[ast.AST]:
    """All nodes of a tree, in the order of `ast.walk`, in little more than half its time."""
    found = [tree]
    for node in found:  # which grows
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found
