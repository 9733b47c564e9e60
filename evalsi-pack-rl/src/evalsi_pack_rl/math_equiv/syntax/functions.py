r"""Commands and names that take arguments: `\frac`, `\sqrt`, `\binom`, `\sin`, `\log_2`."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from evalsi_pack_rl.math_equiv.syntax.building import HALF, inverse, negative, product, quotient
from evalsi_pack_rl.math_equiv.syntax.names import FUNCTIONS, INVERSES
from evalsi_pack_rl.math_equiv.syntax.symbols import arguments
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Constant,
    Node,
    NotParsed,
    Number,
    Power,
    Product,
    Relation,
    Sum,
    Symbol,
)

if TYPE_CHECKING:
    from evalsi_pack_rl.math_equiv.syntax.parser import Parser

__all__ = ["READERS", "call", "mixed"]

_FRACTIONS: Final = frozenset({"\\frac", "\\dfrac", "\\tfrac", "\\cfrac"})
_STOPS: Final = frozenset({"(", "[", "|", "\\{", "\\lvert", "\\frac", "\\dfrac", "\\tfrac"})
_TWO: Final = Number(Fraction(2))
_E: Final = Constant("e")
_PI: Final = Constant("pi")


def mixed(parser: Parser, whole: Number) -> Number:
    r"""The whole number with the fraction behind it: `3\frac12`, `3 1/2`."""
    tokens, at = parser.tokens, parser.at
    if tokens[at] in _FRACTIONS:
        top, behind = _digits(tokens, at + 1)
        bottom, behind = _digits(tokens, behind)
        if not top and tokens[at + 1].isdigit() and len(tokens[at + 1]) == 2:
            top, bottom, behind = tokens[at + 1][0], tokens[at + 1][1], at + 2
    elif tokens[at].isdigit() and tokens[at + 1] == "/" and tokens[at + 2].isdigit():
        top, bottom, behind = tokens[at], tokens[at + 2], at + 3
    else:
        return whole
    if not top or not bottom or not 0 < int(top) < int(bottom):
        return whole
    if not whole.exact or whole.value.denominator != 1:
        return whole
    parser.at = behind
    return Number(whole.value + Fraction(int(top), int(bottom)))


def _digits(tokens: list[str], at: int) -> tuple[str, int]:
    """The digits of a group or of one digit at a place, if any, and the place behind them."""
    if tokens[at] == "{" and tokens[at + 1].isdigit() and tokens[at + 2] == "}":
        return tokens[at + 1], at + 3
    return (tokens[at], at + 1) if len(tokens[at]) == 1 and tokens[at].isdigit() else ("", at)


def _fraction(parser: Parser, _token: str) -> Node:
    top = _digit_or_argument(parser)
    return quotient(top, _digit_or_argument(parser))


def _digit_or_argument(parser: Parser) -> Node:
    r"""An argument as TeX takes it: of `\frac12` one digit each, of `\frac x2` a letter."""
    token = parser.tokens[parser.at]
    if token[:1].isalpha() and token[1:].isdigit():
        parser.tokens[parser.at : parser.at + 1] = token[0], token[1:]
        return parser.argument()
    if not token.isdigit():
        return parser.argument()
    if len(token) == 1:
        parser.at += 1
    else:
        parser.tokens[parser.at] = token[1:]
    return Number(Fraction(int(token[0])))


def _root(parser: Parser, _token: str) -> Node:
    if parser.tokens[parser.at] != "[":
        return Power(parser.argument(), HALF)
    parser.at += 1
    degree = parser.inside("]")
    return Power(parser.argument(), inverse(degree))


def _binomial(parser: Parser, _token: str) -> Node:
    top = _digit_or_argument(parser)
    return Call("binomial", (top, _digit_or_argument(parser)))


def _command(parser: Parser, token: str) -> Node:
    return call(parser, token[1:])


def call(parser: Parser, name: str) -> Node:
    """The function of that name, with its subscript, its exponent and its arguments."""
    name = FUNCTIONS[name]
    base, power = _subscript(parser), _exponent(parser)
    base = base or _subscript(parser)
    if power == Number(Fraction(-1)) and name in INVERSES:
        name, power = INVERSES[name], None
    if base is not None and name != "log":
        raise NotParsed("malformed")
    found = _called(parser)
    node = _built(name, (*found, base) if base is not None else found)
    return node if power is None else Power(node, power)


def _subscript(parser: Parser) -> Node | None:
    if parser.tokens[parser.at] != "_":
        return None
    parser.at += 1
    return parser.argument()


def _exponent(parser: Parser) -> Node | None:
    if parser.tokens[parser.at] != "^":
        return None
    parser.at += 1
    if parser.tokens[parser.at] == "-":
        parser.at += 1
        return negative(parser.argument())
    return parser.argument()


def _called(parser: Parser) -> tuple[Node, ...]:
    token = parser.tokens[parser.at]
    if token == "(":
        return arguments(parser)
    if token in {"{", "[", "\\{", "\\lbrace"}:
        closing = {"{": "}", "[": "]"}.get(token, "\\}")
        parser.at += 1
        return (parser.inside(closing),)
    return (_product_behind(parser),)


def _product_behind(parser: Parser) -> Node:
    """The factors behind a function without brackets, with a sign in front."""
    tokens = parser.tokens
    minus = tokens[parser.at] == "-"
    parser.at += minus
    found = [parser.operand()]
    while parser.begins_operand(parser.at) and not _stops(tokens[parser.at], found[-1]):
        found.append(parser.operand())
    if found[-1] == _PI and tokens[parser.at] == "/" and tokens[parser.at + 1].isdigit():
        parser.at += 1
        found = [quotient(product(found), parser.operand())]
    node = product(found)
    return negative(node) if minus else node


def _stops(token: str, before: Node) -> bool:
    """Whether a token behind a factor is no part of a function's argument."""
    if token in _CALLS or token in FUNCTIONS or token[0].isdigit() or token[-1] == "}":
        return True
    if isinstance(before, Number):
        return False
    return token in _STOPS or not isinstance(before, Symbol | Constant | Power)


def _series(parser: Parser, token: str) -> Node:
    r"""`\sum_{k=1}^{n}` and `\prod_{k=1}^{n}` of the product behind."""
    parser.take("_")
    start = parser.argument()
    parser.take("^")
    last = parser.argument()
    body = parser.factors()
    if not isinstance(start, Relation) or start.operators != ("=",):
        raise NotParsed("malformed")
    if not isinstance(start.sides[0], Symbol | Constant):
        raise NotParsed("malformed")
    return Call(token[1:], (start.sides[0], start.sides[1], last, body))


def _built(name: str, found: tuple[Node, ...]) -> Node:
    first = found[0]
    needed = _COUNTS.get(name, 1)
    if name == "log2":
        return Call("log", (first, _TWO))
    if name not in _MANY and len(found) not in {needed, 2 if name == "log" else needed}:
        raise NotParsed("malformed")
    if name == "sqrt":
        return Power(first, HALF)
    if name == "cbrt":
        return Power(first, Number(Fraction(1, 3)))
    if name == "cis":
        return Sum((Call("cos", found), Product((Constant("i"), Call("sin", found)))))
    return Power(_E, first) if name == "exp" else Call(name, found)


_COUNTS: Final = {"binomial": 2}
_MANY: Final = frozenset({"gcd", "lcm", "min", "max"})
_CALLS: Final = frozenset(f"\\{name}" for name in FUNCTIONS if name not in {"sqrt", "binom"})

READERS: Final[dict[str, Callable[[Parser, str], Node]]] = {
    **dict.fromkeys(_CALLS, _command),
    **dict.fromkeys(_FRACTIONS, _fraction),
    **dict.fromkeys(("\\binom", "\\dbinom", "\\tbinom"), _binomial),
    **dict.fromkeys(("\\sum", "\\prod"), _series),
    "\\sqrt": _root,
}
