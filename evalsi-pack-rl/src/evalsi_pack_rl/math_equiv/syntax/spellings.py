r"""The spellings of mathematics: characters that stand for commands, and what operators mean.

Unicode becomes LaTeX before the text is cut into tokens, so that `√2 ≤ π²` and
`\sqrt 2 \le \pi^{2}` are the same tokens.
"""

# ruff: noqa: RUF001 - the characters that look alike are what this is about
from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = [
    "DIVIDE",
    "GREEK",
    "MINUS",
    "RELATIONS",
    "SET_OPERATORS",
    "TIMES",
    "latex_only",
]

TIMES: Final = frozenset({"*", "\\cdot", "\\times", "\\ast", "\\bullet"})
DIVIDE: Final = frozenset({"/", "\\div"})
MINUS: Final = frozenset({"-"})
SET_OPERATORS: Final = {
    "\\cup": "union",
    "\\cap": "intersection",
    "\\bigcup": "union",
    "\\bigcap": "intersection",
    "\\setminus": "difference",
    "\\backslash": "difference",
    "\\smallsetminus": "difference",
}
RELATIONS: Final = {
    "=": "=",
    "==": "=",
    "\\coloneqq": "=",
    "\\ne": "!=",
    "\\neq": "!=",
    "!=": "!=",
    "<>": "!=",
    "<": "<",
    "\\lt": "<",
    ">": ">",
    "\\gt": ">",
    "<=": "<=",
    "=<": "<=",
    "\\le": "<=",
    "\\leq": "<=",
    "\\leqslant": "<=",
    "\\leqq": "<=",
    ">=": ">=",
    "\\ge": ">=",
    "\\geq": ">=",
    "\\geqslant": ">=",
    "\\geqq": ">=",
    "\\in": "in",
    "in": "in",
    "\\notin": "notin",
    "\\subset": "subset",
    "\\subseteq": "subseteq",
    "\\approx": "approx",
    "\\simeq": "approx",
    "\\equiv": "equiv",
}
GREEK: Final = frozenset(
    "\\" + name
    for name in re.findall(
        r"\w+",
        "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu "
        "xi omicron rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta "
        "Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar",
    )
)

_SMALL: Final = re.findall(
    r"\w+",
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
    "varsigma sigma tau upsilon varphi chi psi omega",
)
_CAPITAL: Final = {
    "Γ": "Gamma",
    "Δ": "Delta",
    "Θ": "Theta",
    "Λ": "Lambda",
    "Ξ": "Xi",
    "Π": "Pi",
    "Σ": "Sigma",
    "Φ": "Phi",
    "Ψ": "Psi",
    "Ω": "Omega",
    "ϵ": "epsilon",
    "ϕ": "phi",
    "ℓ": "ell",
}
_SIGNS: Final = {
    "cdot": "·⋅∙•",
    "times": "×✕",
    "div": "÷",
    "le": "≤⩽≦",
    "ge": "≥⩾≧",
    "ne": "≠",
    "approx": "≈",
    "equiv": "≡",
    "in": "∈",
    "notin": "∉",
    "subset": "⊂",
    "subseteq": "⊆",
    "cup": "∪",
    "cap": "∩",
    "setminus": "∖",
    "emptyset": "∅",
    "infty": "∞",
    "pm": "±",
    "mp": "∓",
    "sqrt": "√",
    "land": "∧",
    "lor": "∨",
    "langle": "⟨〈",
    "rangle": "⟩〉",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "ldots": "…⋯",
    "R": "ℝ",
    "Z": "ℤ",
    "N": "ℕ",
    "Q": "ℚ",
    "C": "ℂ",
}
_PLAIN: Final = {
    "-": "−–‐‑﹣－",
    "+": "＋",
    "=": "＝",
    "(": "（",
    ")": "）",
    ",": "，、",
    ";": "；",
    ":": "：∶",
    "|": "∣｜",
    "/": "⁄∕／",
    "'": "′’",
    "*": "∗＊",
    " ": "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
    # Invisible characters: what they part must not become one number.
    "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u202a\u202b\u202c\u202d\u202e\ufeff\0",
}
_SUPERSCRIPTS: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ", "0123456789+-()n", strict=True))
_SUBSCRIPTS: Final = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_RAISED: Final = re.compile("[" + "".join(_SUPERSCRIPTS) + "]+")
_LOWERED: Final = re.compile("[" + "".join(_SUBSCRIPTS) + "]+")
_STYLED: Final = re.compile(r"[\uff10-\uff5a\U0001d400-\U0001d7ff\u0660-\u0669]")


def _command(name: str) -> str:
    return f"\\{name} "


_TABLE: Final = str.maketrans(
    {chr(0x3B1 + place): _command(name) for place, name in enumerate(_SMALL)}
    | {character: _command(name) for character, name in _CAPITAL.items()}
    | {character: _command(name) for name, line in _SIGNS.items() for character in line}
    | {character: plain for plain, line in _PLAIN.items() for character in line}
    | {"°": "^{\\circ}", "º": "^{\\circ}", "∛": "\\sqrt[3]", "∜": "\\sqrt[4]"}
    | {"½": "\\frac{1}{2}", "⅓": "\\frac{1}{3}", "⅔": "\\frac{2}{3}", "¼": "\\frac{1}{4}"}
    | {"¾": "\\frac{3}{4}", "⅕": "\\frac{1}{5}", "⅖": "\\frac{2}{5}", "⅗": "\\frac{3}{5}"}
    | {"⅘": "\\frac{4}{5}", "⅙": "\\frac{1}{6}", "⅚": "\\frac{5}{6}", "⅛": "\\frac{1}{8}"}
    | {"⅜": "\\frac{3}{8}", "⅝": "\\frac{5}{8}", "⅞": "\\frac{7}{8}"}
)
_RAISE: Final = str.maketrans(_SUPERSCRIPTS)
_LOWER: Final = str.maketrans(_SUBSCRIPTS)


def latex_only(text: str) -> str:
    """The text with the characters beyond ASCII that we know as LaTeX; others stay."""
    if text.isascii() and "\0" not in text:
        return text
    text = _STYLED.sub(lambda styled: unicodedata.normalize("NFKC", _digit(styled[0])), text)
    text = _RAISED.sub(lambda raised: f"^{{{raised[0].translate(_RAISE)}}}", text)
    text = _LOWERED.sub(lambda lowered: f"_{{{lowered[0].translate(_LOWER)}}}", text)
    return text.translate(_TABLE)


def _digit(character: str) -> str:
    return str(unicodedata.decimal(character, character))
