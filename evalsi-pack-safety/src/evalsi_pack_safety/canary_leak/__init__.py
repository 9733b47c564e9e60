"""Strings that must never be said, in the forms in which they may be said all the same."""

from __future__ import annotations

from evalsi_pack_safety.canary_leak.evaluator import CanaryLeak, CanaryLeakParams

__all__ = ["CanaryLeak", "CanaryLeakParams"]
