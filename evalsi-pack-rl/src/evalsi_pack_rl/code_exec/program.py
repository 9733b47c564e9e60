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

_FENCE: Final = re.compile(
    r"^((?:[ \t]*>)*[ \t]*)(?:(`{3,})([^`\n]*)|(~{3,})([^\n]*))$", re.MULTILINE
)
_NAME: Final = re.compile(r"[\s{.]*([\w+#-]*(?:\.\d+)*)")
_PYTHON: Final = re.compile(r"(?:i?python|py)[\d.]*", re.IGNORECASE)
_DEEP: Final = 4  # spaces, from which on a fence is text, or in a list
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
    quotes = _Quotes(text)
    for opening in fences:
        indent, mark = opening[1], opening[2] or opening[4]
        end, closed = len(text), False
        for closing in fences:
            if _closes(closing, indent, mark):
                end, closed = closing.start(), True
                break
        name, block = _name(opening), text[opening.end() + 1 : end]
        named = _PYTHON.fullmatch(name) is not None
        deep = len(indent.expandtabs()) >= _DEEP
        if (named and not (deep and quotes.are_open(opening.start()))) or not (name or deep):
            yield named, _inside(block if closed else _cut(block, mark), indent)


class _Quotes:
    """Whether a place stands in a long string of a program; asked for one place after another."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._seen = dict.fromkeys(('"""', "'''"), 0)

    def are_open(self, place: int) -> bool:
        for quotes in self._seen:
            self._seen[quotes] += self._text.count(quotes, self._at, place)
        self._at = place
        return any(seen % 2 for seen in self._seen.values())


def _cut(block: str, mark: str) -> str:
    """A block that no fence ends, without one that does not begin a line."""
    return block.rstrip().removesuffix(mark) if block.rstrip().endswith(mark) else block


def _closes(closing: re.Match[str], indent: str, mark: str) -> bool:
    """Whether a fence ends the block of another: as long, alone, and no deeper than it."""
    fence = closing[2] or closing[4]
    words = closing[3] if closing[2] else closing[5]
    if fence[0] != mark[0] or len(fence) < len(mark) or words.strip():
        return False  # before the indentations, which may be as long as the text
    return len(closing[1].expandtabs()) < len(indent.expandtabs()) + _DEEP


def _name(opening: re.Match[str]) -> str:
    """What a block is named: `python` of `python title=x`, `{.python}` and `python:a.py` too."""
    found = _NAME.match(opening[3] if opening[2] else opening[5])
    return "" if found is None else found[1]


def _inside(block: str, indent: str) -> str:
    """A block without the indentation, or the marks of a quotation, that its fence has too."""
    if not indent:
        return block
    return "".join(_dedented(line, indent) for line in block.splitlines(keepends=True))


def _dedented(line: str, indent: str) -> str:
    if line.startswith(indent):
        return line[len(indent) :]
    if ">" in indent and line.strip() == indent.strip():
        return line[len(line.rstrip()) :]
    return line.lstrip(" \t") if not line[: len(indent)].strip(" \t\r\n") else line


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
