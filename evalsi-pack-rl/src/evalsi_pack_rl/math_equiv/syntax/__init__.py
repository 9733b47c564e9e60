"""Mathematical text, LaTeX or plain, to a tree."""

from __future__ import annotations

from evalsi_pack_rl.math_equiv.syntax.grammar import parse
from evalsi_pack_rl.math_equiv.syntax.tree import Node, NotParsed

__all__ = ["Node", "NotParsed", "parse"]
