"""Whether two answers state the same value, in tiers; the first that is certain decides.

Text, then numbers, then structures down to their leaves, which the canonical form of expressions
compares. What stays undecided is left to a symbolic backend, if there is one. Every tier treats
the two sides alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from evalsi_pack_rl.math_equiv.choices import choice, letters
from evalsi_pack_rl.math_equiv.numbers import same_measure
from evalsi_pack_rl.math_equiv.reading import Reading
from evalsi_pack_rl.math_equiv.structures import Structures
from evalsi_pack_rl.math_equiv.syntax.tree import Node, NotParsed, Ratio, Words
from evalsi_pack_rl.math_equiv.verdict import Leniency, Verdict
from evalsi_pack_rl.math_equiv.words import same_time, unlabelled, unremarked

__all__ = ["EQUAL_NUMBER", "OTHER_NUMBER", "compare"]

_MOST_LAYERS: Final = 2
"""Labels, remarks and letters that are taken from around a value."""

_EMPTY: Final = Verdict("no", "text", "empty-answer")
_EQUAL_TEXT: Final = Verdict("yes", "text", "equal-text")
_OTHER_TEXT: Final = Verdict("no", "text", "different-text")
_APPROXIMATE: Final = Verdict("no", "text", "approximate")
_TOO_LONG: Final = Verdict("no", "text", "too-long")
_FINAL: Final = frozenset({_EMPTY.reason, _APPROXIMATE.reason, _TOO_LONG.reason})
_EQUAL_CHOICE: Final = Verdict("yes", "text", "equal-choice")
_OTHER_CHOICE: Final = Verdict("no", "text", "different-choice")
EQUAL_NUMBER: Final = Verdict("yes", "number", "equal-number")
OTHER_NUMBER: Final = Verdict("no", "number", "different-number")


def compare(one: Reading, other: Reading, lenient: frozenset[Leniency]) -> Verdict:
    """The verdict of all tiers but the symbolic one.

    Deterministic: no clock, no chance, the same on every machine.
    """
    return _compared(one, other, lenient, _MOST_LAYERS)


def _compared(one: Reading, other: Reading, lenient: frozenset[Leniency], layers: int) -> Verdict:
    """The verdict on a pair from which so many layers of labels may still be taken."""
    if one.measure is not None and other.measure is not None:
        same = same_measure(one.measure, other.measure, lenient)
        return EQUAL_NUMBER if same else OTHER_NUMBER
    verdict = _of_texts(one, other) or _structured(one, other, lenient)
    if verdict.decision == "yes" or not layers or verdict.reason in _FINAL:
        return verdict
    for bare in _LAYERS:
        pair = _bare_pair(one, other, bare)
        again = _compared(*pair, lenient, layers - 1) if pair else verdict
        if again.decision == "yes":
            return again
    return verdict


def _of_texts(one: Reading, other: Reading) -> Verdict | None:
    """The verdict on texts as such, on letters and times; None when they need to be read."""
    if not one.text or not other.text:
        return _EMPTY
    if one.long or other.long:
        return _EQUAL_TEXT if one.text == other.text else _TOO_LONG
    if one.text == other.text or one.key == other.key:
        return _EQUAL_TEXT
    return _APPROXIMATE if one.vague or other.vague else _lettered(one, other)


def _lettered(one: Reading, other: Reading) -> Verdict | None:
    """The verdict on letters of multiple choice and times of day; None when they are none."""
    first, second = choice(one.text), choice(other.text)
    if first and second:
        return _EQUAL_CHOICE if first.letter == second.letter else _OTHER_CHOICE
    if letters(one.text, glued=False) or letters(other.text, glued=False):
        listed, also = letters(one.text, glued=True), letters(other.text, glued=True)
        if listed and also:
            return _EQUAL_CHOICE if listed == also else _OTHER_CHOICE
    same = same_time(one.text, other.text)
    if same is None:
        return None
    return _EQUAL_TEXT if same else _OTHER_TEXT


def _structured(one: Reading, other: Reading, lenient: frozenset[Leniency]) -> Verdict:
    first, second = one.tree, other.tree
    if isinstance(first, NotParsed) or isinstance(second, NotParsed):
        code = next(node.code for node in (first, second) if isinstance(node, NotParsed))
        return Verdict("no", "text", f"not-read-{code}")
    return Structures(lenient).verdict(first, second)


def _bare_pair(
    one: Reading, other: Reading, bare: Callable[[Reading], str | None]
) -> tuple[Reading, Reading] | None:
    """The pair without a label, a remark or a letter, where exactly one of the two has one."""
    first, second = bare(one), bare(other)
    if first is not None and second is None:
        return Reading(first), other
    if second is not None and first is None:
        return one, Reading(second)
    return None


def _without_letter(reading: Reading) -> str | None:
    """`12` of `(A) 12`."""
    lettered = choice(reading.text)
    return lettered.content if lettered and lettered.content else None


def _without_remark(reading: Reading) -> str | None:
    """`18` of `18 (rounded)`."""
    return unremarked(reading.text) if reading.text.endswith(")") else None


def _without_label(reading: Reading) -> str | None:
    """`5` of `Total: 5`; what we read as mathematics needs no help."""
    return unlabelled(reading.text) if _has_words(reading.tree) else None


def _has_words(node: Node | NotParsed) -> bool:
    """Whether an answer is words, or what a colon after words makes of it."""
    first = node.parts[0] if isinstance(node, Ratio) else node
    return isinstance(first, Words | NotParsed)


_LAYERS: Final = (_without_letter, _without_remark, _without_label)
