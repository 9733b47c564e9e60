r"""The grammar from lists down to operands, by recursive descent over tokens.

Ambiguities follow one policy:

- Implied multiplication binds more tightly than `/`, except behind a whole number that divides:
  `a/bc` is a/(bc), `1/2x` is (1/2)x, `\pi/2r` is (pi/2)r.
- A name before brackets is a product, `a(b+c)`, but `f`, `g`, `F` and `G` are functions, and `h`
  is one of a single number or letter.
- Two or three letters are a product, `xy`, unless they name a function, a constant, a unit behind
  a number or a common short word; four or more are a word, unless they stand in alphabetical order
  (`abcd`). `sinx` and `pir` are a name and a letter. A letter with digits glued behind it has a
  subscript: `x1`.
- A function without brackets takes the product behind it, up to a sign, an operator, a bracket or
  the next function: `\sin 2x \cos x`. `\sin^2 x` is a power of the value, `\sin^{-1}` the inverse,
  `\sin(x)^2` the power of the value.
- `3\frac12` and `3 1/2` are mixed numbers where the fraction is positive and below 1.
- `1,234` is one number, but two items directly inside brackets; `1,2` is a list.
- An exponent without braces takes a whole number or one operand, and powers group to the right.
- `e` and `i` are always the constants; `1e-3` is 0.001.
- `|` opens a value where one may begin, and closes one where it may end.
"""

from __future__ import annotations

from evalsi_pack_rl.math_equiv.syntax.parser import Parser
from evalsi_pack_rl.math_equiv.syntax.tokens import tokens_of
from evalsi_pack_rl.math_equiv.syntax.tree import Node, NotParsed
from evalsi_pack_rl.math_equiv.syntax.words import only_words

__all__ = ["parse"]


def parse(text: str) -> Node:
    """The tree of a LaTeX or plain text, in time linear in its length.

    Raises:
        NotParsed: the only error, always the same for the same text.
    """
    whole = only_words(text)
    if whole is not None:
        return whole
    try:
        return Parser(tokens_of(text)).whole()
    except RecursionError:  # Only where the caller has left no room for 64 levels of nesting.
        raise NotParsed("too-deep") from None
