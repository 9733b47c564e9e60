r"""The unit behind a number, and what is none: `3 cm^2`, `5 dollars`, `60 miles per hour`.

A bare number equals the same number with a unit, so what is taken for a unit must change no value.
`3 pi`, `2 x`, `5 squared` and `3 halves` are other values than 3, 2, 5 and 3.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

__all__ = ["Unit", "unit_of"]

Unit: TypeAlias = tuple[tuple[str, int], ...]
"""Names with their exponents, in the order of writing."""

_TOKEN: Final = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*|[$\u00a2\u00a3\u20ac\u00a5\u20b9/]|\^-?\d")
_STOPPED: Final = re.compile(r"\b(sq|cu|in|ft|yd|oz|lbs?|hrs?|mins?|secs?)\.(?= |\Z)")
_CURRENCIES: Final = {
    "$": "dollar",
    "\u00a2": "cent",
    "\u00a3": "pound",
    "\u20ac": "euro",
    "\u00a5": "yen",
    "\u20b9": "rupee",
}

_SPELLINGS: Final = (
    "mm millimeter millimetre|cm centimeter centimetre|dm|m meter metre|km kilometer kilometre",
    "in inch inches|ft foot feet|yd yard|mi mile|ml milliliter millilitre|cl|dl|l liter litre",
    "mg milligram|g gram|kg kilogram|lb|oz ounce|ms|s sec second|min minute|h hr hour|wk|yr",
    "dollar usd|rupee inr|cent|euro eur|pound gbp|yen|degree deg|rad radian|mph|kph|rpm",
    "hz|khz|mhz|ghz|kb|mb|gb|tb|kw|kwh|mw|wh|kj|kcal|mol|ph|pm|am",
)
_KNOWN: Final = {
    spelling + ending: names.split()[0]
    for line in _SPELLINGS
    for names in line.split("|")
    for spelling in names.split()
    for ending in (("", "s") if len(spelling) > 1 else ("",))
}
_KNOWN_CAPITALS: Final = frozenset("NJWV")
_POWERS_BEFORE: Final = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_POWERS_AFTER: Final = {"squared": 2, "cubed": 3}
_LINKS: Final = frozenset({"of", "in", "a", "an", "the", "for", "on", "at"})

_OTHER_VALUES: Final = (
    # functions, constants and letters of mathematics
    "sin cos tan cot csc sec sinh cosh tanh coth sech csch arcsin arccos arctan arccot asin acos",
    "atan tau varphi vartheta aleph log exp lim max min sup inf gcd lcm mod modulo det dim ker",
    "deg arg sgn sqrt cis root roots infinity infty alpha beta gamma delta epsilon zeta theta",
    "iota kappa lambda omicron sigma upsilon omega imaginary real prime factorial choose power",
    "powers exponent",
    # operations, and what takes a part, a multiple or an opposite
    "plus minus times over divided multiplied added subtracted product quotient remainder modulus",
    "half halves third thirds fourth fourths fifth fifths sixth sixths seventh sevenths eighth",
    "eighths ninth ninths tenth tenths hundredth hundredths thousandth thousandths hundreds",
    "thousands millions billions trillions squared cubed double twice negative positive below",
    "above under less than greater least most approximately between base binary octal decimal",
    "hexadecimal recurring repeating dozen dozens",
    # numbers
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty",
    "ninety hundred thousand million billion trillion point",
    # words that join, doubt or deny
    "and but not nor either neither else then when where unless until except without with because",
    "since while whether only maybe perhaps possibly probably wrong incorrect false true from into",
    "through versus equals equal",
)
_NOT_UNITS: Final = frozenset(word for line in _OTHER_VALUES for word in line.split())
_EXCLUDED: Final = _NOT_UNITS | _LINKS
_SHORT_NOUN: Final = re.compile(
    r"[^aeiou][aeiou].|egg|ant|owl|ice|eye|arm|oar|ape|axe|inn|old|art|oil|ink|elk|ash"
)
_VOWELS: Final = frozenset("aeiou")
_ABBREVIATED: Final = re.compile(r"[A-Z]{2,4}s")
_MOST_TOKENS: Final = 12
_TIMES: Final[Unit] = (("time", 1),)
"""What happened five times; with anything behind it, a product."""


def unit_of(text: str, *, spaced: bool) -> Unit | None:
    """The unit that a text names; None when it is no unit, or may be part of the value.

    Args:
        text: what follows a number.
        spaced: whether a space parts them; without one, only known units count: `5cm`, not `5x`.
    """
    if "." in text:
        text = _STOPPED.sub(r"\1", text)
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text.replace(" ", "") or not 1 <= len(tokens) <= _MOST_TOKENS:
        return None
    if not spaced and not _stands_alone(tokens[0]):
        return None
    return _TIMES if tokens == ["times"] else _unit(tokens)


def _stands_alone(token: str) -> bool:
    return token in {*_CURRENCIES, "/"} or (len(token) > 1 and token.casefold() in _KNOWN)


def _unit(tokens: list[str]) -> Unit | None:
    parts: list[tuple[str, int]] = []
    power = 1
    for token in tokens:
        word = token.casefold()
        if word in {"/", "per"}:
            power = -power
        elif word in _POWERS_BEFORE:
            power *= _POWERS_BEFORE[word]
        elif parts and (token[0] == "^" or word in _POWERS_AFTER):
            parts[-1] = (parts[-1][0], parts[-1][1] * _exponent(word))
        elif not (word in _LINKS and (parts or tokens[0] == "of")):
            name = _name(token)
            if name is None:
                return None
            parts.append((name, power))
            power = 1
    return tuple(parts) if power == 1 else None


def _exponent(word: str) -> int:
    return _POWERS_AFTER.get(word) or int(word[1:])


def _name(token: str) -> str | None:
    """One name for the spellings of a unit; None for what is no unit."""
    word = token.casefold()
    known = _CURRENCIES.get(word) or _KNOWN.get(word)
    if known is not None or token in _KNOWN_CAPITALS:
        return known or token
    if _ABBREVIATED.fullmatch(token):  # CDs
        return word.removesuffix("s")
    if not (token.islower() or token[0] + token[1:].lower() == token) or word in _EXCLUDED:
        return None
    if "-" in word:
        return word.removesuffix("s") if _EXCLUDED.isdisjoint(word.split("-")) else None
    noun = set(word) & _VOWELS if len(word) > 3 else _SHORT_NOUN.fullmatch(word)
    return word.removesuffix("s") if noun else None
