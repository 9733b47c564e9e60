"""What the worker processes of the last tier run: one function a backend, and how it warms up.

Only workers import the backends, and only through here.
"""

from __future__ import annotations

import logging
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.math_equiv.symbolic_wire import decoded
from evalsi_pack_rl.math_equiv.syntax import tree

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = ["equal_by_math_verify", "equal_by_sympy", "warm_up_math_verify", "warm_up_sympy"]


def warm_up_sympy() -> None:
    """Imports sympy, and fills its tables with what every pair needs."""
    from evalsi_pack_rl.math_equiv.symbolic_decide import decide

    x, one = tree.Symbol("x"), tree.Number(Fraction(1))
    for name in ("sin", "ln", "exp"):
        called = tree.Call(name, (x,))
        root = tree.Power(tree.Sum((called, one)), tree.Number(Fraction(1, 2)))
        decide(tree.Product((root, root)), tree.Sum((one, called)))


def equal_by_sympy(payload: Any) -> JSON:
    """Decision and reason for two encoded trees."""
    from evalsi_pack_rl.math_equiv.symbolic_decide import decide

    one, other = map(decoded, payload)
    return list(decide(one, other))


def warm_up_math_verify() -> None:
    """Imports math-verify and its parser; its warning that its timeouts are off is expected."""
    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    equal_by_math_verify([r"\frac{1}{2}", "0.5"])


def equal_by_math_verify(payload: Any) -> JSON:
    """Decision and reason for a reference and an answer, both as texts.

    They are read as LaTeX alone: its reader of plain expressions hands text to `parse_expr`, which
    evaluates it.
    """
    from math_verify import LatexExtractionConfig, parse, verify

    latex = [LatexExtractionConfig()]
    # In a box, since it looks for mathematics in prose; None: a signal cannot end a long power.
    gold, answer = (
        parse(rf"\boxed{{{text}}}", extraction_config=latex, parsing_timeout=None)
        for text in payload
    )
    if not gold or not answer:
        return ["undecided", "unsupported"]
    if verify(gold, answer, timeout_seconds=None):
        return ["yes", "equal-symbolic"]
    return ["no", "different-symbolic"]
