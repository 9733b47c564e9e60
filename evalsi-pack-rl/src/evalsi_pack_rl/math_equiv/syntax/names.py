"""The names of functions and constants, with and without a backslash."""

from __future__ import annotations

import re
from typing import Final

from evalsi_pack_rl.math_equiv.syntax.spellings import GREEK

__all__ = ["FUNCTIONS", "FUNCTION_LETTERS", "INVERSES", "JOINED", "NAMES", "NUMBER_SETS"]

_TRIGONOMETRIC: Final = ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth")

FUNCTIONS: Final[dict[str, str]] = {
    **{name: name for name in _TRIGONOMETRIC},
    **{f"arc{name}": f"arc{name}" for name in _TRIGONOMETRIC},
    **{f"a{name}": f"arc{name}" for name in _TRIGONOMETRIC},
    **{f"ar{name}": f"arc{name}" for name in _TRIGONOMETRIC if name.endswith("h")},
    **{name: name for name in ("sech", "csch", "ln", "log", "exp", "abs", "floor", "gcd", "lcm")},
    **{name: name for name in ("min", "max", "det", "sgn", "arg", "sqrt", "factorial", "binomial")},
    **{name: name for name in ("ceil", "cbrt", "log2", "Re", "Im", "dim", "rank", "tr", "cis")},
    **dict.fromkeys(("binom", "comb"), "binomial"),
    **dict.fromkeys(("lg", "log10"), "log"),
    **dict.fromkeys(("ctg", "cotg"), "cot"),
    "cosec": "csc",
    "tg": "tan",
    "ceiling": "ceil",
    "sign": "sgn",
}
"""Spellings of functions, and the names that calls have in the tree."""

JOINED: Final = re.compile(r"(sin|cos|tan|cot|sec|csc|ln|log|pi)([xyzrABC])")
"""A name with a letter glued behind it; `cost` and `tank` are words."""

INVERSES: Final = {name: f"arc{name}" for name in _TRIGONOMETRIC}
FUNCTION_LETTERS: Final = frozenset("fgFG")

NUMBER_SETS: Final = {
    "R": "reals",
    "Z": "integers",
    "N": "naturals",
    "Q": "rationals",
    "C": "complexes",
}

_PLAIN_GREEK: Final = frozenset(
    name[1:] for name in GREEK if len(name) > 3 and name not in {"\\ell", "\\hbar"}
)
NAMES: Final = frozenset(FUNCTIONS) | _PLAIN_GREEK | {"pi", "infinity", "infty"}
"""Runs of letters that mean something without a backslash."""
