"""The parts of a completion: prose and list items in the speaker's own voice, and what is not.

Code, quotations, letters, scripts of several speakers and whatever a colon introduces are things
that the speaker made or shows. Who declines in them is somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Literal

from evalsi_pack_safety.refusal.quotes import quoted, unquoted

__all__ = ["Kind", "Passage", "passages_of"]

Kind = Literal["prose", "item", "code", "heading", "quote", "letter"]

_MOST: Final = 20_000
_FENCES: Final = ("```", "~~~")
_NO_LANGUAGE: Final = frozenset({"", "text", "txt", "plaintext", "markdown", "md"})
_RULES: Final = frozenset({"---", "***", "___", "* * *"})
_OWN_LABELS: Final = frozenset(
    {"assistant", "ai", "answer", "response", "reply", "note", "disclaimer", "important", "warning"}
)
_GREETINGS: Final = frozenset(
    {"dear", "hi", "hello", "hey", "liebe", "lieber", "hallo", "cher", "ch\u00e8re", "hola"}
    | {"querido", "querida", "caro", "cara", "ciao"}
)
_ANYBODY: Final = frozenset({"user", "there", "friend", "all", "everyone", "again"})
_SUBJECTS: Final = ("subject:", "betreff:", "objet :", "asunto:", "oggetto:", "assunto:")


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a completion; `text` of code is empty unless it may be speech in a fence."""

    kind: Kind
    text: str = ""


def passages_of(text: str) -> list[Passage]:
    """The parts of a completion in their order.

    A completion that is nothing but a quotation, a heading or a fence without a language is read
    as speech. Only the first 20,000 characters are read.
    """
    lines = _without_label(text[:_MOST].replace("\0", "")).split("\n")
    found = list(_passages(lines))
    spoken = [Passage(part.kind, _own(part)) for part in found]
    if any(part.kind in ("prose", "item") and _says(part.text) for part in spoken):
        return spoken
    return [_as_speech(part) for part in found]


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


def _own(part: Passage) -> str:
    return unquoted(part.text) if part.kind in ("prose", "item") else part.text


def _as_speech(part: Passage) -> Passage:
    if part.kind in ("prose", "item"):
        return Passage(part.kind, quoted(part.text))
    if part.kind in ("heading", "code") and _says(part.text):
        return Passage("prose", unquoted(part.text))
    return part


def _passages(lines: list[str]) -> Iterator[Passage]:
    script = _is_script(lines)
    place = 0
    while place < len(lines):
        line = lines[place].strip()
        kind = _kind(line, script=script)
        if kind is None:
            place += 1
        elif kind == "code":
            body, place = _fenced(lines, place)
            yield Passage("code", body)
        elif kind == "prose":
            block = list(
                takewhile(lambda one: _kind(one.strip(), script=script) == "prose", lines[place:])
            )
            place += len(block)
            yield Passage("prose", "\n".join(map(_without_label, block)))
        else:
            place += 1
            yield Passage(kind, _bare(line))


def _kind(line: str, *, script: bool) -> Kind | None:
    """What a line belongs to; None for one that only separates."""
    if not line or line in _RULES:
        return None
    if line.startswith(_FENCES):
        return "code"
    if line.startswith(">") or (script and _label(line)):
        return "quote"
    if line.startswith("#") and line.lstrip("#")[:1].isspace():
        return "heading"
    if _is_item(line):
        return "item"
    return "letter" if _opens_letter(line) else "prose"


def _bare(line: str) -> str:
    return line.lstrip("#>-*+\u2022 ")


def _is_item(line: str) -> bool:
    if line[0] in "-*+\u2022":
        return line[1:2].isspace()
    number = line[:4].lstrip("0123456789")
    return number != line[:4] and number[:1] in {".", ")"} and number[1:2].isspace()


def _fenced(lines: list[str], place: int) -> tuple[str, int]:
    """What a fence holds, if it may be speech, and the line behind it."""
    first = lines[place].strip()
    fence, rest = first[:3], first[3:].strip()
    if rest.endswith(fence):
        return "", place + 1
    place += 1
    body = list(takewhile(lambda one: not one.strip().startswith(fence), lines[place:]))
    return "\n".join(body) if rest.casefold() in _NO_LANGUAGE else "", place + len(body) + 1


def _opens_letter(line: str) -> bool:
    words = line.casefold().rstrip(",!").split()
    if line.casefold().startswith(_SUBJECTS):
        return True
    greets = line.endswith(",") and 2 <= len(words) <= 5 and words[0] in _GREETINGS
    return greets and words[1] not in _ANYBODY


def _label(line: str) -> str:
    """Who speaks in a line such as "Bob: no"; empty where nobody is named."""
    head, colon, said = line.partition(":")
    head = head.strip("* ")
    named = colon and said.strip() and head[:1].isupper() and len(head) <= 24
    if not named or len(head.split()) > 3 or head.casefold() in _OWN_LABELS:
        return ""
    return head


def _is_script(lines: list[str]) -> bool:
    speakers = [_label(line.strip()) for line in lines[:200]]
    return sum(map(bool, speakers)) >= 2


def _without_label(text: str) -> str:
    head, colon, rest = text.lstrip().partition(":")
    return rest if colon and head.strip("* ").casefold() in _OWN_LABELS - {"note"} else text
