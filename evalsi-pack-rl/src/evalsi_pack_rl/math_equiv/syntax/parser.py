"""Recursive descent over tokens: lists, relations, sums, products, operands."""

# ruff: noqa: S105 - a token of the grammar is no password
from __future__ import annotations

from fractions import Fraction
from typing import Final

from evalsi_pack_rl.math_equiv.syntax import operands, postfixes, words
from evalsi_pack_rl.math_equiv.syntax.building import negative, product, quotient, set_operation
from evalsi_pack_rl.math_equiv.syntax.lists import joined, separator_at
from evalsi_pack_rl.math_equiv.syntax.spellings import DIVIDE, RELATIONS, SET_OPERATORS, TIMES
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Call,
    Node,
    NotParsed,
    Number,
    PlusMinus,
    Quantity,
    Ratio,
    Relation,
    Sum,
    Words,
)

__all__ = ["DEEPEST", "MOST_OPERANDS", "Parser"]

DEEPEST: Final = 64
MOST_OPERANDS: Final = 500

_PLUS_MINUS: Final = frozenset({"\\pm", "+-", "+/-", "\\mp"})
_SIGNS: Final = _PLUS_MINUS | {"+", "-"}
_BEHIND_SUMS: Final = frozenset(SET_OPERATORS) | {":", "\\pmod"}
_AFTER_OPERANDS: Final = (
    _SIGNS | (frozenset(RELATIONS) - {"in"}) | {"", ",", ")", "]", "}", "\\}", "&"}
)
_DENIED: Final = {"=": "!=", "in": "notin"}
_MOST_POSTFIXES: Final = 8
_REMAINDERS: Final = frozenset({"\\bmod", "mod", "\\mod"})


class Parser:
    """A position in tokens; each method reads one construct and leaves the position behind it.

    Attributes:
        tokens: what is read; a word that is a product is replaced by its letters.
        at: the position.
        breaks: whether a line break parts items here; not in a matrix.
        bars: how many `|` are open directly here.
        colon: whether `:` makes a ratio here; not before the condition of a set.
        turned: whether `[` closes here, as in `]0,1[`.
    """

    __slots__ = ("at", "bars", "breaks", "colon", "count", "depth", "tokens", "turned")

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.count = 0
        self.bars = 0
        self.breaks = True
        self.colon = True
        self.turned = False

    def whole(self) -> Node:
        """All of the text."""
        node = self.listed()
        while self.tokens[self.at] in {".", "\\\\", ",", ";"}:
            self.at += 1
        if self.tokens[self.at]:
            raise NotParsed(self.complaint(self.tokens[self.at]))
        return node

    def complaint(self, token: str) -> str:
        """The code for a token that fits nowhere."""
        if token and not token.isascii():
            return "unknown-character"
        known = token in operands.OPERANDS or token in RELATIONS or token in SET_OPERATORS
        is_command = token[:1] == "\\" and token[1:2].isalpha()
        return "unknown-command" if is_command and not known else "malformed"

    def take(self, *tokens: str) -> None:
        """The next token, which must be one of these."""
        if self.tokens[self.at] not in tokens:
            raise NotParsed(self.complaint(self.tokens[self.at]))
        self.at += 1

    def listed(self) -> Node:
        """Items with commas, semicolons, `and` and `or` between them, or what stands alone."""
        first = self.relation()
        separator = separator_at(self)
        if not separator:
            return first
        items, separators = [first], []
        while separator:
            separators.append(separator)
            items.append(self.relation())
            separator = separator_at(self)
        return joined(items, separators)

    def relation(self) -> Node:
        """A chain of relations, or one side."""
        tokens = self.tokens
        side = self.total()
        token = tokens[self.at]
        if token in _BEHIND_SUMS:
            side = self._side(side)
            token = tokens[self.at]
        if token not in RELATIONS and token != "\\not":
            return side
        sides: list[Node] = [side]
        operators: list[str] = []
        while True:
            operator = RELATIONS.get(token)
            if token == "\\not":
                self.at += 1
                operator = _DENIED.get(RELATIONS.get(tokens[self.at], ""))
                if operator is None:
                    raise NotParsed("malformed")
            if operator is None:
                return Relation(tuple(operators), tuple(sides))
            self.at += 1
            operators.append(operator)
            sides.append(self._side(self.total()))
            token = tokens[self.at]

    def _side(self, node: Node) -> Node:
        """One side of a relation: sums joined by set operators or colons, or a residue."""
        for _ in range(DEEPEST):
            token = self.tokens[self.at]
            operator = SET_OPERATORS.get(token)
            if operator is not None:
                self.at += 1
                node = set_operation(operator, node, self.total())
            elif token == ":" and self.colon:
                self.at += 1
                parts = node.parts if isinstance(node, Ratio) else (node,)
                node = Ratio((*parts, self.total()))
            elif token == "\\pmod":
                self.at += 1
                node = words.modulo(node, self.argument())
            else:
                return node
        raise NotParsed("too-deep")

    def total(self) -> Node:
        r"""A sum, or one term; also `a \pm b`."""
        tokens = self.tokens
        node = self.term() if tokens[self.at] in _SIGNS else self.factors()
        token = tokens[self.at]
        if token not in _SIGNS:
            return node
        terms = [node]
        chain = 0
        while True:
            if token == "+":
                self.at += 1
                terms.append(self.term())
            elif token == "-":
                self.at += 1
                terms.append(negative(self.term()))
            elif token in _PLUS_MINUS:
                chain += 1
                if chain > 8:
                    raise NotParsed("too-deep")
                self.at += 1
                left = terms[0] if len(terms) == 1 else Sum(tuple(terms))
                right = self.term()
                terms = [PlusMinus(left, negative(right) if token == "\\mp" else right)]
            else:
                return terms[0] if len(terms) == 1 else Sum(tuple(terms))
            token = tokens[self.at]

    def term(self) -> Node:
        """A product with its signs in front."""
        tokens = self.tokens
        token = tokens[self.at]
        if token in {"+", "-"}:
            minus = False
            while token in {"+", "-"}:
                minus ^= token == "-"
                self.at += 1
                token = tokens[self.at]
            node = self.term() if token in _PLUS_MINUS else self.factors()
            return negative(node) if minus else node
        if token in _PLUS_MINUS:
            self.at += 1
            return PlusMinus(None, self.factors())
        return self.factors()

    def factors(self) -> Node:
        """Factors multiplied and divided, in words or by standing together."""
        tokens = self.tokens
        node = self.operand()
        token = tokens[self.at]
        if token in _AFTER_OPERANDS:
            return node
        found = [node]
        while True:
            if token in TIMES:
                self.at += 1
                found.append(self.signed())
            elif token in DIVIDE:
                self.at += 1
                found = [quotient(product(found), self._divisor())]
            elif token in _REMAINDERS:
                self.at += 1
                found = [Call("mod", (product(found), self.signed()))]
            elif words.is_unit(self, token, found[-1]):
                found = [words.with_unit(self, product(found))]
            elif operands.begins(self, token):
                found.append(self._implied(found[-1]))
            else:
                return product(found)
            token = tokens[self.at]

    def _implied(self, before: Node) -> Node:
        token = self.tokens[self.at]
        if token[0].isdigit() and self.tokens[self.at - 1] not in {")", "]", "}", "\\}", "|", "!"}:
            raise NotParsed("malformed")
        if isinstance(before, Words | Quantity):
            raise NotParsed("words")
        return self.operand()

    def _divisor(self) -> Node:
        first = self.signed()
        if isinstance(first, Number):
            return first
        found: list[Node] = [first]
        token = self.tokens[self.at]
        while operands.begins(self, token) and not words.is_unit(self, token, first):
            found.append(self._implied(found[-1]))
            token = self.tokens[self.at]
        return product(found)

    def signed(self) -> Node:
        """An operand that may have a sign."""
        minus = False
        while self.tokens[self.at] in {"+", "-"}:
            minus ^= self.tokens[self.at] == "-"
            self.at += 1
        node = self.operand()
        return negative(node) if minus else node

    def operand(self) -> Node:
        """One operand with its exponents, factorials, percent and degree signs."""
        tokens = self.tokens
        token = tokens[self.at]
        self.enter()
        node = (operands.OPERANDS.get(token) or operands.reader_of(self, token))(self, token)
        self.depth -= 1
        left = _MOST_POSTFIXES
        while tokens[self.at] in postfixes.POSTFIXES:
            node = postfixes.read(self, node)
            left -= 1
            if not left:
                raise NotParsed("too-deep")
        return node

    def enter(self) -> None:
        """Steps over the token that begins an operand, and one level deeper."""
        self.at += 1
        self.count += 1
        self.depth += 1
        if self.count > MOST_OPERANDS:
            raise NotParsed("too-many-nodes")
        if self.depth > DEEPEST:
            raise NotParsed("too-deep")

    def begins_operand(self, at: int) -> bool:
        """Whether the token there may begin an operand behind another."""
        return operands.begins(self, self.tokens[at])

    def argument(self) -> Node:
        r"""What a LaTeX command takes: a group in braces, or one operand without its exponents."""
        token = self.tokens[self.at]
        if token == "{":
            self.at += 1
            return self.inside("}")
        self.enter()
        if token.isdecimal():  # `x^2\frac12` is half of x^2, and `a^2_n` the square of a_n
            self.depth -= 1
            return Number(Fraction(int(token)))
        node = (operands.OPERANDS.get(token) or operands.reader_of(self, token))(self, token)
        self.depth -= 1
        return node

    def inside(self, *closing: str) -> Node:
        """A list up to a closing bracket, with bars and turned brackets of its own."""
        state = self.bars, self.turned, self.colon
        self.bars, self.turned, self.colon = 0, closing[0] == "[", True
        node = self.listed()
        self.bars, self.turned, self.colon = state
        self.take(*closing)
        return node
