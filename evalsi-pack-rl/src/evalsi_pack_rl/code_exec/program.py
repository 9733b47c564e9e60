"""The program in a completion: its last fenced block of Python, else the whole text.

Where the prompt is the beginning of a program, as HumanEval's is, the completion is its
continuation, or the same function written anew.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["behind_prompt", "helpers", "program_text"]

_FENCE: Final = re.compile(r"^ {0,3}(`{3,})([^`\n]*)$", re.MULTILINE)
_PYTHON: Final = frozenset({"python", "py", "python3"})
_FUTURE: Final = re.compile(r"^from __future__ import (?:\([^)]{0,300}\)|.*)\n", re.MULTILINE)
_RETURN: Final = re.compile(r"^(?:return|yield)\b", re.MULTILINE)
_STATEMENTS: Final = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
)


def program_text(completion: str) -> str | None:
    """The program's text; None when the completion was cut off while it was thinking.

    A block named python, py or python3 goes before a block without a name; of each the last
    counts. A block that does not close reaches to the end.
    """
    thought = completion.rfind("</think>")
    if thought < 0 and completion.lstrip().startswith("<think>"):
        return None
    text = completion[thought + 8 :] if thought >= 0 else completion.removeprefix("\ufeff")
    blocks = dict(_blocks(text))
    return blocks.get(True, blocks.get(False, text))


def behind_prompt(prompt: str, program: str, entry: str) -> str:
    """The program with what its prompt gave it.

    A program that defines the entry point itself gets the prompt's imports, helpers and
    constants; any other is the entry point's body, behind the prompt.

    Args:
        prompt: Python, or a text whose last block of Python is meant.
        program: the program's text.
        entry: the function that the tests call, or `Solution().name`.
    """
    name, start = _begun(prompt, entry)
    if _defines(name, program) or not _defines(name, start):
        return _after_futures(_preamble(start, name), program)
    return f"{start.rstrip()}\n{_body(program, _indent(start))}"


def helpers(prompt: str, entry: str) -> str:
    """The functions, imports and constants that a prompt gives beside the entry point.

    A test may call them, and must not get those of the program: it could define them anew.
    """
    name, start = _begun(prompt, entry)
    return _preamble(start, name, classes=False)


def _begun(prompt: str, entry: str) -> tuple[str, str]:
    """The name that the program has to define, and the Python in a prompt."""
    given = dict(_blocks(prompt))
    start = given.get(True, given.get(False, prompt))
    return re.split(r"\W", entry, maxsplit=1)[0], start


def _blocks(text: str) -> Iterator[tuple[bool, str]]:
    """Every block that may be the program, with whether it is named Python."""
    fences = _FENCE.finditer(text)
    for opening in fences:
        end = len(text)
        for closing in fences:
            if not closing[2].strip() and len(closing[1]) >= len(opening[1]):
                end = closing.start()
                break
        name = (opening[2].split() or [""])[0].casefold()
        if not name or name in _PYTHON:
            yield bool(name), text[opening.end() + 1 : end]


def _defines(name: str, text: str) -> bool:
    """Whether a text defines a name at its top; by its lines, for it may be no Python at all."""
    pattern = rf"^(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b|^{name}[ \t]*(?:=(?!=)|:)"
    return re.search(pattern, text, re.MULTILINE) is not None


def _body(program: str, indent: str) -> str:
    """A body with the indentation that models and chat templates strip from it."""
    lines = program.lstrip("\r\n")
    if lines[:1] in ("", " ", "\t"):
        return lines
    if _RETURN.search(lines):
        return textwrap.indent(lines, indent)
    return indent + lines


def _indent(prompt: str) -> str:
    """The indentation of what comes next in a program that is cut off after a line."""
    last = prompt.rstrip().rpartition("\n")[2]
    indent = last[: len(last) - len(last.lstrip())]
    return f"{indent}    " if last.endswith(":") else indent


def _after_futures(preamble: str, program: str) -> str:
    """The preamble before a program, yet after what must come first in a file."""
    if not preamble:
        return program
    futures = "".join(_FUTURE.findall(program))
    return f"{futures}{preamble}\n{_FUTURE.sub('', program)}"


@lru_cache(maxsize=512)  # the rollouts of one prompt share it
def _preamble(prompt: str, name: str, *, classes: bool = True) -> str:
    """The statements of a prompt that define something beside the entry point."""
    body = _parsed(prompt) or _parsed(f"{prompt}\n{_indent(prompt)}pass\n")
    lines = prompt.splitlines()
    kept = [node for node in body if isinstance(node, _STATEMENTS) and not _binds(node, name)]
    kept = [node for node in kept if classes or not isinstance(node, ast.ClassDef)]
    return "\n".join("\n".join(lines[_first(node) - 1 : node.end_lineno]) for node in kept)


def _parsed(text: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that Python will refuse one day
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _binds(node: ast.stmt, name: str) -> bool:
    return getattr(node, "name", None) == name


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
