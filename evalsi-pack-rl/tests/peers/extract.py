"""Reads the labelled rows out of math-verify's own tests, as data: nothing of them is run.

python extract.py math_verify-0.9.0.tar.gz > math_peer_cases.jsonl
"""

from __future__ import annotations

import ast
import json
import sys
import tarfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPECTED = ("expected", "result")


def rows_of(sdist: str) -> Iterator[dict[str, Any]]:
    """Every row with a gold and an answer, numbered within its test."""
    with tarfile.open(sdist) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            _, _, name = member.name.partition("/tests/")
            file = archive.extractfile(member) if name.startswith("test_") else None
            if file is not None:
                yield from _rows(name.removesuffix(".py"), ast.parse(file.read()))


def _rows(file: str, module: ast.Module) -> Iterator[dict[str, Any]]:
    for function in module.body:
        for decorator in getattr(function, "decorator_list", []):
            columns, *tables = map(_literal, getattr(decorator, "args", []))
            names = [name.strip() for name in columns.split(",")]
            if {"gold", "pred"} <= set(names):
                test = f"{file}.{function.name}".replace("test_", "")
                for number, cells in enumerate(tables[0], 1):
                    yield _row(f"{test}.{number}", dict(zip(names, cells, strict=True)))


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ""


def _row(name: str, cells: dict[str, Any]) -> dict[str, Any]:
    expected = next(cells.pop(column) for column in EXPECTED if column in cells)
    row = {"id": name, "gold": cells.pop("gold"), "answer": cells.pop("pred")}
    return row | {"equal": bool(expected)} | ({"options": cells} if cells else {})


if __name__ == "__main__":
    for row in rows_of(sys.argv[1]):
        print(json.dumps(row, ensure_ascii=False))
