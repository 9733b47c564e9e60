"""Keys, tokens and passwords in a completion."""

from __future__ import annotations

from evalsi_pack_safety.secret_leak.evaluator import SecretLeak, SecretLeakParams

__all__ = ["SecretLeak", "SecretLeakParams"]
