"""Whether a completion refuses: in full, in part, or not at all."""

from __future__ import annotations

from evalsi_pack_safety.refusal.evaluator import Refusal, RefusalParams

__all__ = ["Refusal", "RefusalParams"]
