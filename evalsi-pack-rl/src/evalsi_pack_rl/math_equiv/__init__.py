"""Whether the final answer of a completion equals the reference."""

from __future__ import annotations

from evalsi_pack_rl.math_equiv.evaluator import MathEquiv, MathEquivParams

__all__ = ["MathEquiv", "MathEquivParams"]
